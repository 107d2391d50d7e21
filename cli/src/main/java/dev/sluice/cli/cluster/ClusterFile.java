package dev.sluice.cli.cluster;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.config.NodeRole;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.ProcessStamp;
import dev.sluice.common.peer.ClusterTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// `DIR/cluster.json`: the cluster that runs there, for clients and for the commands that come later. Written when all
/// nodes are ready, gone after `down`.
///
/// @param tlsCertificate the PEM file with what its nodes show; empty without TLS
public record ClusterFile(
        String endpoint,
        String s3Endpoint,
        String accessKey,
        String secretKey,
        String tlsCertificate,
        Started started,
        List<Node> nodes) {

    /// What `up` was asked for, to be compared with what it is asked next time.
    public record Started(
            int proxies, int targets, int drives, String host, int port, boolean separate, boolean auth) {}

    /// One node and its process. `started` tells the process from a later one with the same number.
    public record Node(
            String id,
            NodeRole role,
            long pid,
            String started,
            String url,
            List<String> drives,
            String log,
            String config) {
        public Node {
            drives = List.copyOf(drives);
        }

        public ProcessStamp process() {
            return new ProcessStamp(pid, started);
        }

        public Node with(ProcessStamp process) {
            return new Node(id, role, process.pid(), process.started(), url, drives, log, config);
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    public ClusterFile {
        nodes = List.copyOf(nodes);
    }

    public static Optional<ClusterFile> read(Path file) {
        try {
            return Files.exists(file)
                    ? Optional.of(JSON.readValue(Files.readAllBytes(file), ClusterFile.class))
                    : Optional.empty();
        } catch (IOException unreadable) {
            throw CommandFailure.failed(file + " cannot be read: " + unreadable.getMessage());
        }
    }

    /// The cluster in a folder, whether its nodes run now or not.
    ///
    /// @param otherwise what else may be done when there is none, as the end of that sentence
    /// @throws CommandFailure if there is none
    public static ClusterFile require(Layout layout, String otherwise) {
        return read(layout.clusterFile()).orElseThrow(() -> none(layout, otherwise));
    }

    /// @throws CommandFailure if there is none, or none of its nodes runs
    public static ClusterFile running(Layout layout) {
        return read(layout.clusterFile()).filter(ClusterFile::anyAlive).orElseThrow(() -> none(layout, ""));
    }

    private static CommandFailure none(Layout layout, String otherwise) {
        return CommandFailure.failed("no cluster runs in %s: start it with sluice up --dir %s%s"
                .formatted(layout.dir(), layout.dir(), otherwise));
    }

    public void write(Path file) throws IOException {
        PrivateFiles.write(file, JSON.writeValueAsString(this) + "\n");
    }

    public Optional<Path> certificate() {
        return Optional.of(tlsCertificate).filter(file -> !file.isEmpty()).map(Path::of);
    }

    /// What S3 clients need as `AWS_CA_BUNDLE`. Nothing without TLS, nor when others signed the certificate and
    /// the file does not hold theirs: then clients know the signer, or no file here helps them.
    public Optional<Path> caBundle() {
        return certificate().filter(file -> {
            try {
                return ClusterTls.holdsAuthority(file);
            } catch (IOException unreadable) {
                throw CommandFailure.failed("the cluster's certificate: " + unreadable.getMessage());
            }
        });
    }

    public List<ProcessStamp> processes() {
        return nodes.stream().map(Node::process).distinct().toList();
    }

    public boolean anyAlive() {
        return processes().stream().anyMatch(ProcessStamp::alive);
    }

    /// For people's eyes: with an empty secret key.
    public ClusterFile withoutSecret() {
        return new ClusterFile(endpoint, s3Endpoint, accessKey, "", tlsCertificate, started, nodes);
    }

    /// Without the secret.
    @Override
    public String toString() {
        return "ClusterFile[%s, %s]".formatted(endpoint, nodes);
    }

    public ClusterFile with(Node changed) {
        return new ClusterFile(
                endpoint,
                s3Endpoint,
                accessKey,
                secretKey,
                tlsCertificate,
                started,
                nodes.stream()
                        .map(node -> node.id().equals(changed.id()) ? changed : node)
                        .toList());
    }
}
