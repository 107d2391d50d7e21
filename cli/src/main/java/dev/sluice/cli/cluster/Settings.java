package dev.sluice.cli.cluster;

import dev.sluice.cli.config.AuthConfig;
import dev.sluice.cli.config.ClusterConfig;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.TomlText;
import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The text of `DIR/sluice.toml` as it should be for this start, and what it says.
record Settings(String text, ClusterConfig config) {

    /// `--config`, else DIR's file, else a new one; with the options of the command line written into it.
    static Settings of(Layout layout, UpOptions options) {
        var source = options.config().or(() -> Optional.of(layout.settings()).filter(Files::exists));
        var text = source.map(Settings::read).orElseGet(Settings::template);
        var name = source.map(Path::toString).orElse("the built-in settings");
        ConfigFiles.cluster(text, name);
        text = set(text, "cluster", "proxies", options.proxies());
        text = set(text, "cluster", "targets", options.targets());
        text = set(text, "cluster", "drives", options.drives());
        text = set(text, "cluster", "port", options.port());
        text = set(text, "cluster", "host", options.host().map(host -> '"' + host + '"'));
        text = set(text, "cluster", "separate", options.separate());
        text = set(text, "auth", "enabled", options.auth());
        text = set(text, "auth", "insecure", options.insecure());
        return new Settings(text, checked(ConfigFiles.cluster(text, "the options")));
    }

    private static ClusterConfig checked(ClusterConfig config) {
        try {
            config.requireSafe();
            return config;
        } catch (IllegalArgumentException refused) {
            throw CommandFailure.refused(String.valueOf(refused.getMessage()));
        }
    }

    /// Whether `--config` says what DIR's file says already.
    static boolean same(Layout layout, UpOptions options) {
        return options.config()
                .map(file -> Files.exists(layout.settings())
                        && ConfigFiles.cluster(file).equals(ConfigFiles.cluster(layout.settings())))
                .orElse(true);
    }

    ClusterConfig with(AuthConfig auth) {
        return new ClusterConfig(
                config.cluster(),
                auth,
                config.limits(),
                config.backends(),
                config.storage(),
                config.http(),
                config.log());
    }

    static String template() {
        try (InputStream resource = Settings.class.getResourceAsStream("/sluice.toml")) {
            if (resource == null) {
                throw new IllegalStateException("sluice.toml is not in the class path");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new IllegalStateException("sluice.toml cannot be read", unreadable);
        }
    }

    private static String set(String text, String section, String key, Optional<?> value) {
        return value.map(given -> TomlText.set(text, section, key, given.toString()))
                .orElse(text);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw CommandFailure.refused(file + " cannot be read: " + unreadable);
        }
    }

    /// Keys by their source: environment, settings, `DIR/keys.toml`, else new ones.
    static AuthConfig keys(Layout layout, AuthConfig settings, Map<String, String> environment) throws IOException {
        var kept = Files.exists(layout.keys()) ? KeyFile.read(layout.keys()) : KeyFile.made();
        return settings.withKeys(
                        settings.accessKey().isEmpty() ? kept.accessKey() : settings.accessKey(),
                        settings.secretKey().isEmpty() ? kept.secretKey() : settings.secretKey())
                .withClusterKey(settings.clusterKey().isEmpty() ? kept.clusterKey() : settings.clusterKey())
                .withKeysFrom(environment);
    }
}
