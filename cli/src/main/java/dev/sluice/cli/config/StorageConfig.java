package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/// `[storage]`: how a target uses its drives.
public record StorageConfig(
        Durability durability,
        Durability cachedDurability,
        ByteSize reserve,
        int driveThreads,
        ByteSize blockCache,
        ByteSize writeBuffers,
        ByteSize hotBytes,
        int hotFiles,
        TimeSpan verifiedFor) {
    /// What an acknowledged write has survived.
    public enum Durability {
        FSYNC,
        OS;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final StorageConfig DEFAULTS = new StorageConfig(
            Durability.FSYNC,
            Durability.OS,
            ByteSize.parse("1GiB"),
            8,
            ByteSize.parse("32MiB"),
            ByteSize.parse("32MiB"),
            ByteSize.parse("64MiB"),
            4_096,
            TimeSpan.parse("1h"));

    public StorageConfig {
        Checks.atLeast("storage.drive_threads", driveThreads, 1);
        Checks.atLeast("storage.hot_files", hotFiles, 0);
    }
}
