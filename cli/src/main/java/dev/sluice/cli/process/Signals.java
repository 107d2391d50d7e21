package dev.sluice.cli.process;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Ends processes. Every signal goes to a process that has just been compared with its stamp.
public final class Signals {
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private Signals() {}

    /// Asks all to end, waits, and kills what is still there after the grace. Returns what had to be killed.
    public static List<ProcessStamp> stop(Collection<ProcessStamp> processes, Duration grace) {
        processes.forEach(process -> signal(process, false));
        awaitEnd(processes, grace);
        var stubborn = processes.stream().filter(ProcessStamp::alive).toList();
        kill(stubborn);
        return stubborn;
    }

    /// Ends all at once, and waits until they are gone.
    public static void kill(Collection<ProcessStamp> processes) {
        processes.forEach(process -> signal(process, true));
        awaitEnd(processes, Duration.ofSeconds(10));
    }

    private static void signal(ProcessStamp process, boolean force) {
        if (process.alive()) {
            ProcessHandle.of(process.pid()).ifPresent(handle -> {
                var _ = force ? handle.destroyForcibly() : handle.destroy();
            });
        }
    }

    private static void awaitEnd(Collection<ProcessStamp> processes, Duration longest) {
        var end = System.nanoTime() + longest.toNanos();
        while (processes.stream().anyMatch(ProcessStamp::alive) && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        }
    }
}
