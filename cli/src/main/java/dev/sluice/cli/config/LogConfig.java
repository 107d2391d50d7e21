package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/// `[log]`: where events go. An empty path means standard output.
public record LogConfig(Level level, String path, ByteSize fileSize, int files) {
    /// The least important events that are written.
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final LogConfig DEFAULTS = new LogConfig(Level.INFO, "", ByteSize.parse("32MiB"), 8);

    public LogConfig {
        Checks.atLeast("log.files", files, 1);
    }

    public LogConfig withPath(String file) {
        return new LogConfig(level, file, fileSize, files);
    }
}
