package dev.sluice.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// One process, told apart from a later one that got the same number: by the boot of the machine and the tick of that
/// boot at which it started.
public record ProcessStamp(long pid, String started) {
    private static final Path PROCESSES = Path.of("/proc");
    private static final int THREADS_AFTER_NAME = 17;
    private static final int START_TIME_AFTER_NAME = 19;

    /// The process that has this number now.
    public static Optional<ProcessStamp> of(long pid) {
        try {
            var status = Files.readString(PROCESSES.resolve(Long.toString(pid)).resolve("stat"));
            // "pid (name) state ppid …": the name may hold spaces and brackets, so count from its end.
            var fields = status.substring(status.lastIndexOf(')') + 2).split(" ");
            if (ended(fields)) {
                return Optional.empty();
            }
            return Optional.of(new ProcessStamp(pid, boot() + "-" + fields[START_TIME_AFTER_NAME]));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    public boolean alive() {
        return of(pid).filter(this::equals).isPresent();
    }

    /// A process has ended when its last thread has; the first may end earlier. Its files and ports are in use
    /// until then.
    private static boolean ended(String[] fields) {
        return switch (fields[0]) {
            case "X" -> true;
            case "Z" -> Integer.parseInt(fields[THREADS_AFTER_NAME]) <= 1;
            default -> false;
        };
    }

    private static String boot() throws IOException {
        return Files.readString(PROCESSES.resolve("sys/kernel/random/boot_id")).substring(0, 8);
    }
}
