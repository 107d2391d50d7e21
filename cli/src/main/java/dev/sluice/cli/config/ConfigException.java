package dev.sluice.cli.config;

/// A setting that cannot be used. The message names the file, the key and what was expected.
public final class ConfigException extends RuntimeException {
    public ConfigException(String message) {
        super(message);
    }
}
