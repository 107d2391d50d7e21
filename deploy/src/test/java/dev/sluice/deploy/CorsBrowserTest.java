package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.deploy.harness.Browser;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CORSRule;

/// Pages of other origins in a browser (`deploy/peers install chromium`), which says itself what they may read.
@Tag("shared")
@Tag("long")
final class CorsBrowserTest {
    private static final Duration KNOWN = Duration.ofSeconds(30);
    private static final String BUCKET = "read-by-pages";
    private static final String FOOTER = "what a Parquet reader looks for first";

    /// As readers of Parquet do: the length of the footer, the footer, then a column.
    private static final String READ_BY_RANGES = """
            const range = async (bytes) => {
                const answer = await fetch(url, {headers: {Range: 'bytes=' + bytes}});
                return {status: answer.status, of: answer.headers.get('Content-Range'), etag: answer.headers.get('ETag'),
                        bytes: await answer.arrayBuffer()};
            };
            return (async () => {
                const tail = await range('-8');
                const length = new DataView(tail.bytes).getUint32(0, true);
                const size = Number(tail.of.split('/')[1]);
                const footer = await range((size - 8 - length) + '-' + (size - 9));
                const column = await range('1000000-1000999');
                return {magic: new TextDecoder().decode(tail.bytes.slice(4)), footer: new TextDecoder().decode(footer.bytes),
                        column: Array.from(new Uint8Array(column.bytes)), statuses: [tail.status, footer.status, column.status],
                        etag: column.etag};
            })();
            """;

    private static final byte[] COLUMNS = Content.of("columns", 2_000_000);

    @TempDir
    private Path folder;

    private static byte[] table() {
        var footer = FOOTER.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(COLUMNS.length + footer.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(COLUMNS)
                .put(footer)
                .putInt(footer.length)
                .put("PAR1".getBytes(StandardCharsets.UTF_8))
                .array();
    }

    @Test
    void pageOfAnAllowedOriginReadsByRangesAndAnotherOneDoesNot(@Running(Mode.SEPARATE) SluiceCluster cluster)
            throws IOException {
        var allowed = page();
        var other = page();
        try (var s3 = cluster.endpoint().client();
                var browser = new Browser(folder.resolve("chromedriver.log"))) {
            s3.createBucket(request -> request.bucket(BUCKET));
            var rule = CORSRule.builder()
                    .allowedOrigins(origin(allowed))
                    .allowedMethods("GET")
                    .allowedHeaders("*")
                    .exposeHeaders("ETag", "Content-Range")
                    .build();
            s3.putBucketCors(request -> request.bucket(BUCKET).corsConfiguration(cors -> cors.corsRules(rule)));
            var etag = put(s3);
            for (var node : cluster.nodes()) {
                var script = "const url = '%s';%n".formatted(presigned(cluster, node.url())) + READ_BY_RANGES;
                browser.open(origin(allowed));
                Eventually.holds(KNOWN, () -> browser.run(script)); // a node may not know the rules yet
                var seen = browser.run(script);
                assertThat(seen.path("magic").asText()).isEqualTo("PAR1");
                assertThat(seen.path("footer").asText()).isEqualTo(FOOTER);
                assertThat(seen.path("column"))
                        .hasSize(1000)
                        .allSatisfy(each -> assertThat(each.isInt()).isTrue());
                assertThat(seen.path("column").get(999).asInt()).isEqualTo(COLUMNS[1_000_999] & 0xff);
                assertThat(seen.path("statuses"))
                        .allSatisfy(each -> assertThat(each.asInt()).isEqualTo(206));
                assertThat(seen.path("etag").asText()).isEqualTo(etag);
                browser.open(origin(other));
                assertThatThrownBy(() -> browser.run(script)).hasStackTraceContaining("Failed to fetch");
            }
        } finally {
            allowed.stop(0);
            other.stop(0);
        }
    }

    private static String put(S3Client s3) {
        return Eventually.within(
                KNOWN,
                () -> s3.putObject(
                                request -> request.bucket(BUCKET).key("table.parquet"), RequestBody.fromBytes(table()))
                        .eTag());
    }

    private static URL presigned(SluiceCluster cluster, URI node) {
        try (var presigner = cluster.endpoint().at(node).presigner()) {
            return presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket(BUCKET).key("table.parquet")))
                    .url();
        }
    }

    /// An empty page on a port, and so an origin, of its own.
    private static HttpServer page() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        return server;
    }

    private static String origin(HttpServer page) {
        return "http://127.0.0.1:" + page.getAddress().getPort();
    }
}
