package dev.sluice.cli.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the client sends and how it reads the answers, against a server of a few lines. Real nodes judge it elsewhere.
final class S3ClientTest {
    private final Map<String, Long> received = new ConcurrentHashMap<>();
    private final Map<String, String> authorizations = new ConcurrentHashMap<>();
    private HttpServer server = start();
    private S3Client client = client();

    @TempDir
    Path folder = Path.of("");

    private static HttpServer start() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        } catch (IOException unusable) {
            throw new IllegalStateException(unusable);
        }
    }

    private S3Client client() {
        var endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new S3Client(new SignedHttp(
                endpoint,
                Optional.of(new Credentials("AK", "SK", "us-east-1")),
                new Trust("nobody", Optional.empty())));
    }

    @BeforeEach
    void listen() {
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var uri = exchange.getRequestURI();
        var request = exchange.getRequestMethod() + " " + uri.getRawPath()
                + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        received.put(request, exchange.getRequestBody().transferTo(OutputStream.nullOutputStream()));
        authorizations.put(request, String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        var status = 200;
        var body = "";
        if (request.startsWith("GET /b/missing") || request.contains("missing?partNumber=3")) {
            status = 404;
            body = "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>"
                    + "<Key>a &quot;missing&quot; one</Key><Resource>/b/missing</Resource><RequestId>r</RequestId></Error>";
        } else if (request.endsWith("?uploads=")) {
            body = "<R><UploadId>u-1</UploadId></R>";
        } else if (request.startsWith("POST /b/late")) {
            body = "<?xml version=\"1.0\"?>\n<e:Error xmlns:e=\"urn:x\"><e:Code>InternalError</e:Code></e:Error>";
        } else if (request.startsWith("POST")) {
            body = "<R><ETag>&quot;whole-5&quot;</ETag></R>";
        } else if (request.contains("continuation-token=t%2F2")) {
            body = "<R><Contents><Key>c%2Fd+e</Key><Size>3</Size></Contents></R>";
        } else if (request.contains("list-type=2")) {
            body = "<R><IsTruncated>true</IsTruncated><NextContinuationToken>t/2</NextContinuationToken>"
                    + "<Contents><Key>a%2B</Key><ETag>&quot;e&quot;</ETag><Size>7</Size><LastModified>now</LastModified>"
                    + "</Contents><CommonPrefixes><Prefix>b%2F</Prefix></CommonPrefixes></R>";
        }
        exchange.getResponseHeaders().set("ETag", "\"tag\"");
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Test
    void aSmallFileGoesInOneSignedRequest() throws IOException {
        var file = Files.writeString(folder.resolve("f"), "12345");
        var sent = new AtomicLong();
        assertThat(client.put("b", "k ü", file, sent::addAndGet)).isEqualTo("tag");
        assertThat(received).containsExactly(Map.entry("PUT /b/k%20%C3%BC", 5L));
        assertThat(authorizations.values()).allMatch(value -> value.startsWith("AWS4-HMAC-SHA256 Credential=AK/"));
        assertThat(sent).hasValue(5);
    }

    @Test
    void anEmptyFileToo() throws IOException {
        var file = Files.createFile(folder.resolve("f"));
        assertThat(client.put("b", "k", file, _ -> {})).isEqualTo("tag");
        assertThat(received).containsExactly(Map.entry("PUT /b/k", 0L));
    }

    @Test
    void aLargeFileGoesInParts() throws IOException {
        var file = folder.resolve("large");
        var size = S3Client.MULTIPART_ABOVE + 1;
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(size);
        }
        assertThat(client.put("b", "k", file, _ -> {})).isEqualTo("whole-5");
        var part = MultipartUpload.partSize(size);
        assertThat(received)
                .containsEntry("PUT /b/k?partNumber=1&uploadId=u-1", part)
                .containsEntry("PUT /b/k?partNumber=5&uploadId=u-1", size - 4 * part)
                .containsKey("POST /b/k?uploadId=u-1")
                .hasSize(7);
    }

    @Test
    void aFailedLargeFileIsAborted() throws IOException {
        var file = folder.resolve("large");
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(S3Client.MULTIPART_ABOVE + 1);
        }
        assertThatThrownBy(() -> client.put("b", "missing", file, _ -> {}))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("NoSuchKey");
        assertThat(received).containsKey("DELETE /b/missing?uploadId=u-1");
    }

    @Test
    void aServerMaySayAfterA200ThatItFailed() throws IOException {
        var file = folder.resolve("large");
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(S3Client.MULTIPART_ABOVE + 1);
        }
        assertThatThrownBy(() -> client.put("b", "late", file, _ -> {}))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("InternalError");
        assertThat(received).containsKey("DELETE /b/late?uploadId=u-1");
    }

    @Test
    void theLargestObjectFitsIntoTheMostParts() {
        assertThat(MultipartUpload.partSize(5L << 40) * 10_000).isGreaterThanOrEqualTo(5L << 40);
    }

    @Test
    void aListingFollowsItsPages() {
        List<ListedObject> found = new ArrayList<>();
        client.list("b", "", Optional.of("/"), found::add);
        assertThat(found)
                .containsExactly(
                        new ListedObject("a+", 7, "e", "now"),
                        new ListedObject("b/", -1, "", ""),
                        new ListedObject("c/d e", 3, "", ""));
    }

    @Test
    void aRefusalSaysOfWhichKeyAndWhatToDo() {
        assertThatThrownBy(() -> client.get("b", "missing"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("NoSuchKey: The specified key does not exist. Key: a \"missing\" one"
                        + " (sluice ls BUCKET shows what is there)");
    }

    @Test
    void anUnreachableServerIsNamed() {
        server.stop(0);
        assertThatThrownBy(() -> client.head("b", "k"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("http://127.0.0.1:");
    }
}
