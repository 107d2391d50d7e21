package dev.sluice.cli.demo.live;

import dev.sluice.cli.cluster.ClusterDown;
import dev.sluice.cli.cluster.ClusterFile;
import dev.sluice.cli.cluster.ClusterUp;
import dev.sluice.cli.cluster.Layout;
import dev.sluice.cli.cluster.UpOptions;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.s3.SignedHttp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A cluster that is running on this machine, by its `cluster.json`.
record LocalSluice(ClusterFile cluster) {
    private static final String REGION = "us-east-1";
    private static final String HOST = "127.0.0.1";
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int PORT_TRIES = 100;

    /// Nodes of a cluster to start.
    record Shape(int targets, int drives, boolean auth) {}

    static LocalSluice running(Path dir) {
        return new LocalSluice(
                ClusterFile.running(new Layout(dir.toAbsolutePath().normalize())));
    }

    /// Starts one in a new folder, with new keys.
    static LocalSluice start(Path dir, Shape shape, JvmCommand jvm, Opened opened) throws InterruptedException {
        var layout = new Layout(dir);
        var options = new UpOptions(
                Optional.of(1),
                Optional.of(shape.targets()),
                Optional.of(shape.drives()),
                Optional.of(freePort(shape.targets())),
                Optional.of(HOST),
                Optional.of(false),
                Optional.of(shape.auth()),
                Optional.empty(),
                Optional.empty(),
                false);
        opened.add(stop(layout));
        return new LocalSluice(new ClusterUp(layout, jvm, Map.of()).up(options).cluster());
    }

    URI endpoint() {
        return URI.create(cluster.s3Endpoint());
    }

    Credentials credentials() {
        return new Credentials(cluster.accessKey(), cluster.secretKey(), REGION);
    }

    /// @param environment may name whom to trust, if the cluster uses TLS
    SignedHttp http(Map<String, String> environment) {
        return new SignedHttp(
                endpoint(),
                cluster.started().auth() ? Optional.of(credentials()) : Optional.empty(),
                Trust.of(Optional.empty(), cluster.certificate(), environment));
    }

    private static Closeable stop(Layout layout) {
        return () -> new ClusterDown(layout).down(GRACE);
    }

    /// A port whose neighbours a cluster needs are free too, outside the range from which the kernel gives ports away.
    private static int freePort(int targets) {
        var random = RandomGenerator.getDefault();
        for (int i = 0; i < PORT_TRIES; i++) {
            int port = random.nextInt(20_000, 32_000);
            if (free(port) && allFree(port + Layout.FIRST_TARGET_PORT, targets)) {
                return port;
            }
        }
        throw CommandFailure.failed("no free ports between 20000 and 32000");
    }

    private static boolean allFree(int first, int count) {
        for (int port = first; port < first + count; port++) {
            if (!free(port)) {
                return false;
            }
        }
        return true;
    }

    private static boolean free(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
