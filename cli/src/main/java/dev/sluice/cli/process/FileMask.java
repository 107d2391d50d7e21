package dev.sluice.cli.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/// The permissions that files and folders created by this process do not get, whoever creates them: RocksDB and the log
/// cannot be told one by one.
@SuppressWarnings("restricted") // what the launcher enables native access for
public final class FileMask {
    private FileMask() {}

    public static void set(int mask) {
        var umask = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("umask"),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            int before = (int) umask.invokeExact(mask);
            assert before >= 0;
        } catch (Throwable impossible) {
            throw new IllegalStateException("umask", impossible);
        }
    }
}
