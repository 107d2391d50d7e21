package dev.sluice.cli.cluster;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/// `DIR/keys.toml`: the keys of a cluster, made once.
record KeyFile(String accessKey, String secretKey, String clusterKey) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String SECRET_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final TomlMapper TOML = TomlMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    static KeyFile made() {
        return new KeyFile("SL" + random(LETTERS, 18), random(SECRET_LETTERS, 40), random(SECRET_LETTERS, 43));
    }

    static KeyFile read(Path file) {
        try {
            return TOML.readValue(file.toFile(), KeyFile.class);
        } catch (IOException unreadable) {
            throw CommandFailure.refused(file + " cannot be read: " + unreadable.getMessage());
        }
    }

    void write(Path file) throws IOException {
        PrivateFiles.write(file, """
                # The keys of this cluster. Keep them secret; without them its nodes and clients are strangers.
                access_key = "%s"
                secret_key = "%s"
                cluster_key = "%s"
                """.formatted(accessKey, secretKey, clusterKey));
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "KeyFile[" + accessKey + "]";
    }

    private static String random(String letters, int length) {
        var text = new StringBuilder(length);
        for (var i = 0; i < length; i++) {
            text.append(letters.charAt(RANDOM.nextInt(letters.length())));
        }
        return text.toString();
    }
}
