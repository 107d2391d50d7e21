package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Forwarder;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.deploy.harness.Tools;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/// Clients that follow are sent to the node that has the bytes, with a token that opens this one request and no other.
@Tag("shared")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RedirectTest {
    private static final byte[] SHARD = Content.of("redirected", 8 * Content.MIB);

    private final SluiceCluster cluster;
    private final Endpoint endpoint;
    private final S3Client s3;
    private final String bucket = "redirect-" + UUID.randomUUID().toString().substring(0, 8);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    RedirectTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.cluster = cluster;
        this.endpoint = cluster.endpoint();
        this.s3 = endpoint.client();
    }

    @BeforeAll
    void putObjects() {
        s3.createBucket(request -> request.bucket(bucket));
        for (var key : List.of("shard.tar", "other.tar", "with space+ü")) {
            s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(SHARD));
        }
    }

    @AfterAll
    void close() {
        http.close();
        s3.close();
    }

    private URI presigned(String key) throws Exception {
        try (var presigner = endpoint.presigner()) {
            return presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket(bucket).key(key)))
                    .url()
                    .toURI();
        }
    }

    private HttpResponse<byte[]> send(String method, URI url, String... headers)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(url).method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private URI redirectOf(String key, String... headers) throws Exception {
        var answer = send("GET", presigned(key), headers);
        assertThat(answer.statusCode()).isEqualTo(307);
        return URI.create(answer.headers().firstValue("location").orElseThrow());
    }

    @Test
    void curlFollowsToATargetAndGetsTheBytes() {
        var curl = Tools.signingCurl();
        for (var key : List.of("shard.tar", "with%20space%2B%C3%BC")) {
            var finished = Finished.run(
                    Duration.ofSeconds(60),
                    Map.of(),
                    List.of(
                            curl,
                            "-sS",
                            "-L",
                            "-H",
                            "x-sluice-route: redirect",
                            "--aws-sigv4",
                            "aws:amz:us-east-1:s3",
                            "--user",
                            endpoint.accessKey() + ":" + endpoint.secretKey(),
                            "-w",
                            "%{stderr}%{http_code} %{num_redirects} %{url_effective}",
                            endpoint.url() + "/" + bucket + "/" + key));
            finished.orFail(cluster.lastWords());
            assertThat(Content.digest(finished.out())).isEqualTo(Content.digest(SHARD));
            assertThat(finished.err()).startsWith("200 1 ");
            assertThat(cluster.targets())
                    .as(finished.err())
                    .anyMatch(target -> finished.err().contains(" " + target.url()));
        }
    }

    @Test
    void aSignatureInTheQueryIsRedirectedToo() throws Exception {
        var answer = send("GET", redirectOf("with space+ü", "x-sluice-route", "redirect"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(Content.digest(answer.body())).isEqualTo(Content.digest(SHARD));
    }

    @Test
    void anSdkKnownToFollowIsRedirectedByItself() {
        var s5cmd = Tools.peer("s5cmd");
        try (var watch = new Forwarder(endpoint.url())) {
            var finished = Finished.run(
                            Duration.ofSeconds(60),
                            endpoint.environment(),
                            List.of(
                                    s5cmd.toString(),
                                    "--endpoint-url",
                                    watch.url().toString(),
                                    "cat",
                                    "s3://" + bucket + "/shard.tar"))
                    .orFail(cluster.lastWords());
            assertThat(Content.digest(finished.out())).isEqualTo(Content.digest(SHARD));
            assertThat(watch.requestsOf("GET", "shard.tar")).isNotEmpty();
            assertThat(watch.answeredBytes()).as("bytes through the proxy").isLessThan(SHARD.length / 8);
        }
    }

    @Test
    void onlyClientsThatFollowAreRedirected() throws Exception {
        for (var agent : List.of(
                "aws-sdk-go/1.44.256", "duckdb/v1.5", "Botocore/1.43 aiobotocore/2.1", "MinIO (x) minio-py/7.2")) {
            assertThat(redirectOf("shard.tar", "User-Agent", agent)).isNotNull();
        }
        for (var agent : List.of(
                "Boto3/1.44 Botocore/1.44",
                "aws-sdk-go-v2/1.30",
                "aws-sdk-java/2.56",
                "curl/8.9",
                "python-requests/2.32",
                "aws-sdk-cpp/1.11")) {
            assertThat(send("GET", presigned("shard.tar"), "User-Agent", agent).statusCode())
                    .as(agent)
                    .isEqualTo(200);
        }
        assertThat(send("GET", presigned("shard.tar"), "User-Agent", "duckdb/v1", "x-sluice-route", "relay")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aHeadIsNeverRedirected() throws Exception {
        try (var presigner = endpoint.presigner()) {
            var url = presigner
                    .presignHeadObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .headObjectRequest(head -> head.bucket(bucket).key("shard.tar")))
                    .url()
                    .toURI();
            for (var header :
                    List.of(List.of("x-sluice-route", "redirect"), List.of("User-Agent", "aws-sdk-go/1.44"))) {
                var answer = send("HEAD", url, header.toArray(String[]::new));
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValueAsLong("content-length")).hasValue(SHARD.length);
            }
        }
    }

    @Test
    void aTokenOpensOneRequestOnly() throws Exception {
        var location = redirectOf("shard.tar", "x-sluice-route", "redirect");
        assertThat(send("GET", location).statusCode()).isEqualTo(200);
        assertThat(send("GET", location, "Range", "bytes=5-9").statusCode()).isEqualTo(206);

        var text = location.toString();
        var otherKey = URI.create(text.replace("shard.tar", "other.tar"));
        assertThat(otherKey).isNotEqualTo(location);
        for (var target : cluster.targets()) {
            var there = URI.create(target.url() + otherKey.getRawPath() + "?" + otherKey.getRawQuery());
            assertRefused(send("GET", there), "another key at " + target.id());
        }
        for (var method : List.of("DELETE", "PUT", "HEAD")) {
            assertRefused(send(method, location), method);
        }
        var token = location.getRawQuery().replaceAll(".*x-sluice-token=([^&]*).*", "$1");
        assertThat(token).as("the token in " + location).isNotEqualTo(location.getRawQuery());
        for (int at = 0; at < token.length(); at += Math.max(1, token.length() / 12)) {
            char flipped = token.charAt(at) == 'A' ? 'B' : 'A';
            var forged = token.substring(0, at) + flipped + token.substring(at + 1);
            assertRefused(send("GET", URI.create(text.replace(token, forged))), "forged at " + at);
        }
        assertRefused(send("GET", URI.create(text.replace(token, ""))), "no token");
        assertRefused(send("GET", URI.create(text.replace(token, token + "A"))), "a longer token");
        assertRefused(send("GET", URI.create(text.substring(0, text.indexOf('?')))), "no query");
        assertThat(send("GET", location).statusCode()).as("after all that").isEqualTo(200);
    }

    private static void assertRefused(HttpResponse<byte[]> answer, String what) {
        assertThat(answer.statusCode()).as(what).isEqualTo(403);
    }

    @Test
    void anyTargetServesAnyKeyToWhoSigns() {
        for (var target : cluster.targets()) {
            try (var direct = endpoint.at(target.url()).client()) {
                var got = direct.getObjectAsBytes(
                        request -> request.bucket(bucket).key("shard.tar"));
                assertThat(Content.digest(got.asByteArray())).as(target.id()).isEqualTo(Content.digest(SHARD));
                assertThat(direct.listObjectsV2(request -> request.bucket(bucket))
                                .keyCount())
                        .as(target.id())
                        .isEqualTo(3);
            }
        }
    }
}
