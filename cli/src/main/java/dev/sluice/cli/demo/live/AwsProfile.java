package dev.sluice.cli.demo.live;

import dev.sluice.common.auth.Credentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/// A named profile in files of its own, for a process that reads AWS's variables. The user's own files stay unread.
record AwsProfile(String name, Path credentials, Path config) {
    static AwsProfile write(Path folder, String name, Credentials keys) throws IOException {
        var profile = new AwsProfile(name, folder.resolve("aws-credentials"), folder.resolve("aws-config"));
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                Files.createFile(profile.credentials, owner), """
                [%s]
                aws_access_key_id = %s
                aws_secret_access_key = %s
                """.formatted(name, keys.accessKey(), keys.secretKey()));
        Files.writeString(Files.createFile(profile.config, owner), """
                [profile %s]
                region = %s
                """.formatted(name, keys.region()));
        return profile;
    }

    Map<String, String> environment() {
        return Map.of(
                "AWS_SHARED_CREDENTIALS_FILE", credentials.toString(),
                "AWS_CONFIG_FILE", config.toString(),
                "AWS_PROFILE", name);
    }
}
