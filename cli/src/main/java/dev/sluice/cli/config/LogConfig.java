package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.config.value.Checks;
import java.nio.file.Path;
import java.util.Locale;

/// `[log]`: where events go. An empty path means standard output.
///
/// @param accessLog the file with a line for each request; empty: none is written
public record LogConfig(Level level, String path, ByteSize fileSize, int files, String accessLog) {
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

    public static final LogConfig DEFAULTS = new LogConfig(Level.INFO, "", ByteSize.parse("32MiB"), 8, "");

    public LogConfig {
        Checks.atLeast("log.files", files, 1);
    }

    public LogConfig withPath(String file) {
        return new LogConfig(level, file, fileSize, files, accessLog);
    }

    /// The same with an absolute name of the access log; any other begins at this folder.
    public LogConfig below(Path dir) {
        return accessLog.isEmpty()
                ? this
                : new LogConfig(
                        level,
                        path,
                        fileSize,
                        files,
                        dir.resolve(accessLog).normalize().toString());
    }
}
