package dev.sluice.common.time;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The kernel's name for this start of the machine.
public final class BootId {
    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    public static String read() throws IOException {
        return Files.readString(FILE).strip();
    }
}
