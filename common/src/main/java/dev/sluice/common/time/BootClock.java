package dev.sluice.common.time;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The time since the machine booted, time in suspension included: `CLOCK_BOOTTIME`. A lease must run out while the
/// machine sleeps, and `System.nanoTime` stands still then.
@SuppressWarnings("restricted") // the launcher enables native access for such calls
public final class BootClock implements NanoClock {
    private static final int CLOCK_BOOTTIME = 7;
    private static final MethodHandle CLOCK_GETTIME = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker()
                            .defaultLookup()
                            .find("clock_gettime")
                            .orElseThrow(() -> new IllegalStateException("the C library has no clock_gettime")),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
                    Linker.Option.critical(true));

    @Override
    public long nanos() {
        var time = new long[2]; // seconds, nanoseconds
        int failed;
        try {
            failed = (int) CLOCK_GETTIME.invokeExact(CLOCK_BOOTTIME, MemorySegment.ofArray(time));
        } catch (Throwable e) {
            throw new IllegalStateException("clock_gettime cannot be called", e);
        }
        if (failed != 0) {
            throw new IllegalStateException("the kernel has no CLOCK_BOOTTIME");
        }
        return time[0] * 1_000_000_000L + time[1];
    }
}
