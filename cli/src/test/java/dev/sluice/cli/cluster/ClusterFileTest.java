package dev.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.config.NodeRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterFileTest {
    @Test
    void isReadBackTheSameAndPrivate(@TempDir Path dir) throws IOException {
        var node = new ClusterFile.Node(
                "target001", NodeRole.TARGET, 42, "boot-7", "http://h:8180", List.of("/d1"), "/l.log", "/n.toml");
        var cluster = new ClusterFile(
                "http://h:8080",
                "http://h:8080",
                "AK",
                "SK",
                "/server.pem",
                new ClusterFile.Started(1, 1, 1, "h", 8080, true, false),
                List.of(node));
        var file = dir.resolve("cluster.json");
        cluster.write(file);
        assertThat(ClusterFile.read(file)).contains(cluster);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file))
                .contains("\"s3_endpoint\"", "\"access_key\"", "\"role\" : \"target\"", "\"drives\" : [ \"/d1\" ]");
        assertThat(ClusterFile.read(dir.resolve("other.json"))).isEmpty();
    }
}
