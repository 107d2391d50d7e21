package dev.sluice.deploy.harness;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `cluster.json` as other people's scripts read it: what they may rely on and no more.
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record ClusterFile(URI endpoint, URI s3Endpoint, String accessKey, String secretKey, List<ClusterNode> nodes) {
    private static final JsonMapper JSON = new JsonMapper();

    public ClusterFile {
        nodes = List.copyOf(nodes);
    }

    static ClusterFile read(Path dir) {
        try {
            return JSON.readValue(Files.readAllBytes(dir.resolve("cluster.json")), ClusterFile.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
