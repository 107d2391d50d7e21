package dev.sluice.backend.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.testing.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A real server in a process of its own, on a free port, with its data in a given folder. Ends with the JVM at last.
public final class PeerServer implements AutoCloseable {
    public static final String MINIO_USER = "minioadmin";
    public static final String MINIO_PASSWORD = "minioadmin";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final URI url;
    private final Thread atExit;

    private PeerServer(Process process, URI url) {
        this.process = process;
        this.url = url;
        this.atExit = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /// MinIO with [#MINIO_USER] and [#MINIO_PASSWORD]; no buckets yet.
    public static PeerServer minio(Path folder) {
        return minio(folder, FreePort.next());
    }

    /// MinIO that can encrypt objects, which it does where it is asked to.
    public static PeerServer minioWithKey(Path folder) {
        var key = Base64.getEncoder().encodeToString("a key of AES-256: 32 bytes long.".getBytes(US_ASCII));
        return minio(folder, FreePort.next(), Map.of("MINIO_KMS_SECRET_KEY", "a-key:" + key));
    }

    /// MinIO on a port that was free or its own before, for starting it again on the same data.
    public static PeerServer minio(Path folder, int port) {
        return minio(folder, port, Map.of());
    }

    private static PeerServer minio(Path folder, int port, Map<String, String> more) {
        var program = Peers.executable("minio");
        var command = List.of(
                program.toString(),
                "server",
                "--quiet",
                "--address",
                "127.0.0.1:" + port,
                "--console-address",
                "127.0.0.1:" + FreePort.next(),
                folder.resolve("data").toString());
        var environment = new HashMap<>(more);
        environment.put("MINIO_ROOT_USER", MINIO_USER);
        environment.put("MINIO_ROOT_PASSWORD", MINIO_PASSWORD);
        // it refuses a listing of buckets without a signature, but only once it serves: its own health comes earlier
        return start(command, environment, folder, port, "/", 403);
    }

    /// fake-gcs-server; no buckets yet.
    public static PeerServer fakeGcs(Path folder) {
        var program = Peers.executable("fake-gcs-server");
        int port = FreePort.next();
        var url = "http://127.0.0.1:" + port;
        var command = List.of(
                program.toString(),
                "-scheme",
                "http",
                "-host",
                "127.0.0.1",
                "-port",
                Integer.toString(port),
                "-backend",
                "memory",
                "-external-url",
                url,
                "-public-host",
                "127.0.0.1:" + port,
                "-log-level",
                "warn");
        return start(command, Map.of(), folder, port, "/_internal/healthcheck", 200);
    }

    private static PeerServer start(
            List<String> command, Map<String, String> environment, Path folder, int port, String asked, int status) {
        try {
            Files.createDirectories(folder.resolve("data"));
            var log = folder.resolve("log").toFile();
            var builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
            builder.environment().putAll(environment);
            var url = URI.create("http://127.0.0.1:" + port);
            var server = new PeerServer(builder.start(), url);
            server.awaitAnswer(url.resolve(asked), status, log.toPath());
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer(URI asked, int status, Path log) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answers(asked, status)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                close();
                throw new IllegalStateException(asked + " does not answer; the server says: " + Files.readString(log));
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static boolean answers(URI asked, int status) throws IOException {
        var connection = (HttpURLConnection) asked.toURL().openConnection();
        connection.setConnectTimeout(1000);
        connection.setReadTimeout(5000);
        try {
            return connection.getResponseCode() == status;
        } catch (IOException notYet) {
            return false;
        } finally {
            connection.disconnect();
        }
    }

    /// `http://127.0.0.1:port`
    public URI url() {
        return url;
    }

    /// SIGKILL; returns when it is gone.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            return; // the hook is running
        }
    }
}
