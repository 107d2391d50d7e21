package dev.sluice.cli.config;

import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.config.value.Checks;
import dev.sluice.cli.config.value.FileMode;
import dev.sluice.cli.config.value.TimeSpan;

/// `[storage]`: how a target uses its drives. `blockCache` is of each drive, `writeBuffers` of a whole process, the
/// watermarks per cent of a drive. A `scrubPeriod` of nothing is never; `scrubRate` is in MiB a second of each drive,
/// 0 for what the period asks; so is `resilverRate`, 0 for what requests leave. `encrypted` is the operator's word that
/// all drives are encrypted below Sluice; proxies tell it too.
public record StorageConfig(
        ByteSize reserve,
        int highWatermark,
        int lowWatermark,
        int driveThreads,
        ByteSize blockCache,
        ByteSize writeBuffers,
        int openFileCache,
        ByteSize memoryCache,
        TimeSpan checksumRecheckInterval,
        TimeSpan scrubPeriod,
        int scrubRate,
        int resilverRate,
        TimeSpan healthCheckInterval,
        FileMode fileMode,
        boolean encrypted) {
    public static final StorageConfig DEFAULTS = new StorageConfig(
            ByteSize.parse("1GiB"),
            90,
            85,
            8,
            ByteSize.parse("16MiB"),
            ByteSize.parse("64MiB"),
            4_096,
            ByteSize.parse("32MiB"),
            TimeSpan.parse("1h"),
            TimeSpan.parse("24h"),
            0,
            0,
            TimeSpan.parse("10s"),
            FileMode.parse("0600"),
            false);

    public StorageConfig {
        Checks.between("storage.low_watermark", lowWatermark, 1, 99);
        Checks.between("storage.high_watermark", highWatermark, lowWatermark + 1, 100);
        Checks.atLeast("storage.drive_threads", driveThreads, 1);
        Checks.atLeast("storage.open_file_cache", openFileCache, 0);
        Checks.atLeast("storage.scrub_rate", scrubRate, 0);
        Checks.atLeast("storage.resilver_rate", resilverRate, 0);
        Checks.between(
                "storage.health_check_interval", healthCheckInterval, TimeSpan.parse("100ms"), TimeSpan.parse("10m"));
    }
}
