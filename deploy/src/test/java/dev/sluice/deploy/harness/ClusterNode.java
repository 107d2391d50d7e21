package dev.sluice.deploy.harness;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/// One node of `cluster.json`.
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClusterNode(String id, String role, long pid, URI url, List<Path> drives, Path log) {
    public ClusterNode {
        drives = List.copyOf(drives);
    }

    public boolean target() {
        return role.equals("target");
    }
}
