package dev.sluice.cli.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/// A process whose first thread has ended while others go on, as one that was killed is for a moment. Prints a line
/// when it is so.
@SuppressWarnings("restricted")
final class WithoutFirstThread {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final int SIGUSR1 = 10;

    private WithoutFirstThread() {}

    public static void main(String[] arguments) throws Throwable {
        // The first thread of a JVM waits until this one has ended; a signal to it alone makes it end.
        var pid = Math.toIntExact(ProcessHandle.current().pid());
        var _ = (MemorySegment) function(
                        "signal", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
                .invokeExact(SIGUSR1, address("pthread_exit"));
        var three = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        var _ = (int) function("tgkill", three).invokeExact(pid, pid, SIGUSR1);
        while (!Files.readString(Path.of("/proc/self/stat")).contains(") Z ")) {
            Thread.onSpinWait();
        }
        System.out.println("it has ended");
        var _ = System.in.read(); // until who started it is gone, at the latest
        Runtime.getRuntime().halt(0);
    }

    private static MethodHandle function(String name, FunctionDescriptor types) {
        return LINKER.downcallHandle(address(name), types);
    }

    private static MemorySegment address(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }
}
