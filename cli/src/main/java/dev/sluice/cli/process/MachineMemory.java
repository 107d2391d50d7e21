package dev.sluice.cli.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// How much memory this process and those that it starts may use: the machine's, or less where a control group limits
/// it. Other processes are not looked at: what they use now says nothing about later.
final class MachineMemory {
    private MachineMemory() {}

    static long bytes() {
        return bytes(Path.of("/"));
    }

    /// @param root the folder that has `proc` and `sys`
    static long bytes(Path root) {
        try {
            var machine = Files.readString(root.resolve("proc/meminfo"))
                    .lines()
                    .filter(line -> line.startsWith("MemTotal:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("/proc/meminfo has no MemTotal"));
            return LongStream.concat(LongStream.of(machine), limits(root)).min().orElseThrow();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("the machine's memory", unreadable);
        }
    }

    /// Limits of the groups that this process is in: `0::/a/b` of version 2, `4:memory:/a/b` of version 1.
    private static LongStream limits(Path root) throws IOException {
        var groups = root.resolve("proc/self/cgroup");
        if (!Files.exists(groups)) {
            return LongStream.empty();
        }
        return Files.readString(groups).lines().flatMapToLong(line -> {
            var fields = line.split(":", 3);
            if (fields.length == 3 && fields[0].equals("0")) {
                return limits(root.resolve("sys/fs/cgroup"), fields[2], "memory.max");
            }
            return fields.length == 3 && Stream.of(fields[1].split(",")).anyMatch("memory"::equals)
                    ? limits(root.resolve("sys/fs/cgroup/memory"), fields[2], "memory.limit_in_bytes")
                    : LongStream.empty();
        });
    }

    /// Each group's limit holds for those below it. A container may see its own group as the topmost, under another
    /// name: then the folders of that name are not there.
    private static LongStream limits(Path top, String group, String file) {
        var own = top.resolve("." + group).normalize();
        return Stream.iterate(own.startsWith(top) ? own : top, folder -> folder.startsWith(top), Path::getParent)
                .map(folder -> limit(folder.resolve(file)))
                .flatMapToLong(limit -> limit.map(LongStream::of).orElseGet(LongStream::empty));
    }

    private static Optional<Long> limit(Path file) {
        try {
            var text = Files.exists(file) ? Files.readString(file).strip() : "max";
            return text.equals("max") ? Optional.empty() : Optional.of(Long.parseLong(text));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(file.toString(), unreadable);
        }
    }
}
