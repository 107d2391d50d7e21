package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CORSRule;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// Requests as browsers send them for pages of other origins, at every node: also for keys that it does not have.
@Tag("shared")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CorsTest {
    private static final Duration KNOWN = Duration.ofSeconds(30);
    private static final String ORIGIN = "https://app.example.com";
    private static final byte[] SMALL = Content.of("small", 1000);
    private static final byte[] SHARD = Content.of("shard", 3 * Content.MIB);

    private final String bucket = "pages-" + UUID.randomUUID().toString().substring(0, 8);
    private final SluiceCluster cluster;
    private final S3Client s3;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    CorsTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.cluster = cluster;
        this.s3 = cluster.endpoint().client();
    }

    @BeforeAll
    void putRulesAndObjects() {
        cluster.run("bucket", "create", bucket, "--replicas", "2");
        var rule = CORSRule.builder()
                .allowedOrigins(ORIGIN)
                .allowedMethods("GET", "PUT", "HEAD")
                .allowedHeaders("*")
                .exposeHeaders("ETag")
                .maxAgeSeconds(600)
                .build();
        s3.putBucketCors(request -> request.bucket(bucket).corsConfiguration(cors -> cors.corsRules(rule)));
        assertThat(s3.getBucketCors(request -> request.bucket(bucket)).corsRules())
                .containsExactly(rule);
        Eventually.holds(KNOWN, () -> put("small", SMALL)); // the replicas may not have come yet
        put("shard", SHARD);
        for (var node : endpoints()) {
            Eventually.holds(
                    KNOWN,
                    () -> assertThat(preflight(node, "small", "PUT").statusCode())
                            .isEqualTo(200));
        }
    }

    @AfterAll
    void close() {
        http.close();
        s3.close();
    }

    private void put(String key, byte[] content) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(content));
    }

    private List<Endpoint> endpoints() {
        return cluster.nodes().stream()
                .map(node -> cluster.endpoint().at(node.url()))
                .toList();
    }

    private HttpResponse<byte[]> preflight(Endpoint node, String key, String method) {
        return send(
                "OPTIONS",
                URI.create(node.url() + "/" + bucket + "/" + key),
                "Origin",
                ORIGIN,
                "Access-Control-Request-Method",
                method,
                "Access-Control-Request-Headers",
                "range,x-amz-date");
    }

    private HttpResponse<byte[]> get(Endpoint node, String key, String... headers) {
        try (var presigner = node.presigner()) {
            var url = presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket(bucket).key(key)))
                    .url();
            return send("GET", URI.create(url.toString()), headers);
        }
    }

    private HttpResponse<byte[]> send(String method, URI url, String... headers) {
        var request = HttpRequest.newBuilder(url)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .headers(headers)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new AssertionError(method + " " + url, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void requireHeadersOnce(HttpResponse<?> answer, String what) {
        var headers = answer.headers();
        assertThat(headers.allValues("access-control-allow-origin")).as(what).containsExactly(ORIGIN);
        assertThat(headers.allValues("access-control-allow-credentials"))
                .as(what)
                .containsExactly("true");
        assertThat(headers.allValues("access-control-allow-methods")).as(what).containsExactly("GET, PUT, HEAD");
        assertThat(headers.allValues("access-control-expose-headers")).as(what).containsExactly("ETag");
        assertThat(headers.allValues("access-control-max-age")).as(what).containsExactly("600");
        assertThat(headers.allValues("vary"))
                .as(what)
                .containsExactly("Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
    }

    @Test
    void preflightIsAnsweredByEachNodeWithoutASignature() {
        for (var node : endpoints()) {
            var allowed = preflight(node, "small", "PUT");
            assertThat(allowed.statusCode()).isEqualTo(200);
            assertThat(allowed.body()).isEmpty();
            requireHeadersOnce(allowed, "preflight of " + node.url());
            assertThat(allowed.headers().allValues("access-control-allow-headers"))
                    .containsExactly("range, x-amz-date");
            assertThat(preflight(node, "small", "DELETE").statusCode()).isEqualTo(403);
        }
    }

    @Test
    void everyAnswerHasTheHeadersOnceWhicheverNodeHasTheKey() {
        for (var node : endpoints()) {
            var whole = get(node, "small", "Origin", ORIGIN, "User-Agent", "duckdb/v1");
            assertThat(whole.statusCode()).as("not redirected").isEqualTo(200);
            assertThat(whole.body()).isEqualTo(SMALL);
            requireHeadersOnce(whole, "200 of " + node.url());

            var range = get(node, "shard", "Origin", ORIGIN, "Range", "bytes=1000000-2999999");
            assertThat(range.statusCode()).isEqualTo(206);
            assertThat(range.body()).isEqualTo(Arrays.copyOfRange(SHARD, 1_000_000, 3_000_000));
            requireHeadersOnce(range, "206 of " + node.url());

            var etag = whole.headers().firstValue("etag").orElseThrow();
            var same = get(node, "small", "Origin", ORIGIN, "If-None-Match", etag);
            assertThat(same.statusCode()).isEqualTo(304);
            requireHeadersOnce(same, "304 of " + node.url());

            var missing = get(node, "none", "Origin", ORIGIN);
            assertThat(missing.statusCode()).isEqualTo(404);
            requireHeadersOnce(missing, "404 of " + node.url());

            var unsigned = send("GET", URI.create(node.url() + "/" + bucket + "/small"), "Origin", ORIGIN);
            assertThat(unsigned.statusCode()).isEqualTo(403);
            requireHeadersOnce(unsigned, "403 of " + node.url());
        }
    }

    @Test
    void answersToOthersHaveNone() {
        for (var node : endpoints()) {
            for (var answer : List.of(
                    get(node, "small", "Accept", "*/*"), get(node, "small", "Origin", "https://other.example.com"))) {
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().map().keySet())
                        .doesNotContain("vary")
                        .noneMatch(name -> name.startsWith("access-control-"));
            }
        }
    }

    @Test
    void deletedRulesAreGone() {
        var once = bucket + "-once";
        s3.createBucket(request -> request.bucket(once));
        s3.putBucketCors(request -> request.bucket(once)
                .corsConfiguration(cors -> cors.corsRules(CORSRule.builder()
                        .allowedOrigins("*")
                        .allowedMethods("GET")
                        .build())));
        s3.deleteBucketCors(request -> request.bucket(once));
        assertThat(refusal(once)).isEqualTo("NoSuchCORSConfiguration");
        s3.deleteBucket(request -> request.bucket(once));
    }

    private String refusal(String bucket) {
        try {
            return s3.getBucketCors(request -> request.bucket(bucket)).toString();
        } catch (S3Exception refused) {
            return refused.awsErrorDetails().errorCode();
        }
    }
}
