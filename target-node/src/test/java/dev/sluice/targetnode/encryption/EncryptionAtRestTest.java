package dev.sluice.targetnode.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.GatedCloud;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EncryptionAtRestTest {
    private static final byte[] CONTENT = new byte[100];

    @TempDir
    private Path folder;

    private static WriteAttributes attributes(boolean encrypted) {
        return new WriteAttributes(
                new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty(), encrypted);
    }

    private static ObjectName name(Bucket bucket, String key) {
        return new ObjectName(bucket.name(), key);
    }

    private static Received put(TargetFixture target, Bucket bucket, String key, boolean encrypted) {
        return target.put(bucket, key, CONTENT, attributes(encrypted), Conditions.NONE);
    }

    private static Received begin(TargetFixture target, Bucket bucket, String key, boolean encrypted) {
        return run(
                target, bucket, new S3Request.CreateMultipartUpload(name(bucket, key), attributes(encrypted), false));
    }

    private static Received copy(TargetFixture target, Bucket bucket, String key, String to, boolean encrypted) {
        return run(
                target,
                bucket,
                new S3Request.CopyObject(
                        name(bucket, to),
                        name(bucket, key),
                        false,
                        false,
                        attributes(encrypted),
                        Conditions.NONE,
                        Conditions.NONE));
    }

    private static Received run(TargetFixture target, Bucket bucket, S3Request.OnObject request) {
        return Received.of(target.run(TargetFixture.call(request, bucket, 0), ByteSource.empty()));
    }

    private static String uploadId(Received begun) {
        return begun.text().replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
    }

    private static Received part(TargetFixture target, Bucket bucket, String key, String uploadId) {
        var part = new S3Request.UploadPart(name(bucket, key), uploadId, 1, attributes(false));
        return Received.of(target.run(TargetFixture.call(part, bucket, CONTENT.length), TargetFixture.source(CONTENT)));
    }

    private static List<String> told(Received answer) {
        return answer.headers(Encryption.HEADER);
    }

    private static void requireRefused(Runnable write, String hint) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        refused -> assertThat(refused.error().code()).isEqualTo("NotImplemented"))
                .hasMessageContaining(hint);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void objectsOnEncryptedDrivesAreToldToBeEncrypted(boolean asked) throws IOException {
        try (var target = new TargetFixture(folder, true)) {
            var own = target.own();
            var answers = new ArrayList<>(List.of(put(target, own, "a", asked)));
            for (int i = 0; i < 3; i++) { // from the drive, and when it is hot
                answers.add(target.get(own, "a"));
                answers.add(target.head(own, "a"));
            }
            var begun = begin(target, own, "b", asked);
            answers.add(begun);
            answers.add(part(target, own, "b", uploadId(begun)));
            answers.add(target.complete(own, "b", uploadId(begun), CONTENT));
            answers.add(target.get(own, "b"));
            assertThat(answers).extracting(EncryptionAtRestTest::told).containsOnly(List.of("AES256"));
            assertThat(target.get(own, "b").body()).isEqualTo(CONTENT);
            var attributes = run(target, own, new S3Request.GetObjectTagging(name(own, "a")));
            assertThat(told(attributes)).isEmpty();
            assertThat(told(target.delete(own, "a"))).isEmpty();
        }
    }

    @Test
    void nothingOfItIsStored() throws IOException {
        try (var target = new TargetFixture(folder, true)) {
            var own = target.own();
            var id = uploadId(begin(target, own, "b", true));
            var upload = target.store().multipart().require(BucketRefs.of(own), "b", id);
            assertThat(upload.headers()).isEmpty();
            put(target, own, "a", true);
            target.head(own, "a");
        }
        try (var target = new TargetFixture(folder, false)) {
            assertThat(told(target.get(target.own(), "a"))).isEmpty();
        }
    }

    @Test
    void encryptionIsRefusedOnDrivesThatAreNot() throws IOException {
        try (var target = new TargetFixture(folder, false)) {
            var own = target.own();
            var hint = "set storage.encrypted = true on every node";
            requireRefused(() -> put(target, own, "a", true), hint);
            requireRefused(() -> begin(target, own, "a", true), hint);
            put(target, own, "there", false);
            requireRefused(() -> copy(target, own, "there", "copy", true), hint);
            assertThat(target.stored(own, "a")).isFalse();
            assertThat(target.stored(own, "copy")).isFalse();
            assertThat(told(target.get(own, "there"))).isEmpty();
            assertThat(told(target.head(own, "there"))).isEmpty();
            target.requireNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theCloudOfACachedBucketEncrypts(boolean encryptedDrives) throws IOException {
        try (var target = new TargetFixture(folder, encryptedDrives)) {
            var cached = target.cached();
            assertThat(told(put(target, cached, "a", true))).containsExactly("AES256");
            assertThat(told(put(target, cached, "b", false))).isEmpty();
            for (int i = 0; i < 2; i++) {
                assertThat(told(target.get(cached, "a"))).isEmpty();
                assertThat(told(target.head(cached, "a"))).isEmpty();
            }
            var begun = begin(target, cached, "c", true);
            part(target, cached, "c", uploadId(begun));
            target.complete(cached, "c", uploadId(begun), CONTENT);
            assertThat(target.cloud().memory().encrypted()).containsExactlyInAnyOrder("a", "c");
            var filled = target.get(cached, "c");
            assertThat(filled.body()).isEqualTo(CONTENT);
            assertThat(told(filled)).isEmpty();
        }
    }

    @Test
    void aCloudThatCannotBeAskedIsNotWrittenTo() throws IOException {
        try (var target = new TargetFixture(folder, true)) {
            target.cloud().encryptsOnRequest(false);
            var cached = target.cached();
            var why = "the cloud behind the bucket cached does not take the header";
            requireRefused(() -> put(target, cached, "a", true), why);
            requireRefused(() -> begin(target, cached, "a", true), why);
            requireRefused(() -> copy(target, cached, "a", "copy", true), why);
            assertThat(target.cloud().memory().requests("put")).isZero();
            put(target, cached, "a", false);
            assertThat(told(target.get(cached, "a"))).isEmpty();
        }
    }

    @Test
    void anUploadRemembersTheWishUntilTheCloudHasTheObject() throws IOException {
        var cloud = new GatedCloud();
        String id;
        try (var target = new TargetFixture(folder, cloud)) {
            id = uploadId(begin(target, target.cached(), "a", true));
            part(target, target.cached(), "a", id);
        }
        cloud.before((operation, key) -> {
            if (operation.equals("put")) {
                throw new StoreException.BackendUnavailable(key, new IOException("no answer"));
            }
        });
        try (var target = new TargetFixture(folder, cloud)) {
            assertThatThrownBy(() -> target.complete(target.cached(), "a", id, CONTENT))
                    .isInstanceOf(StoreException.BackendUnavailable.class);
        }
        cloud.before((_, _) -> {});
        try (var target = new TargetFixture(folder, cloud)) {
            target.complete(target.cached(), "a", id, CONTENT);
            assertThat(cloud.memory().encrypted()).containsExactly("a");
            assertThat(target.get(target.cached(), "a").body()).isEqualTo(CONTENT);
        }
    }

    /// The source is read at its primary, by HTTP.
    private static HttpServer reached(TargetFixture target, Bucket bucket) throws IOException {
        var node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/" + bucket.name() + "/a", exchange -> {
            var got = target.get(bucket, "a");
            for (var name : List.of("Content-Type", "ETag", "x-amz-meta-colour", Tags.COUNT_HEADER)) {
                got.headers(name).forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
            exchange.sendResponseHeaders(got.status(), CONTENT.length);
            exchange.getResponseBody().write(got.body());
            exchange.close();
        });
        node.start();
        target.isReachedAt("http://127.0.0.1:" + node.getAddress().getPort());
        return node;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anObjectMayBeCopiedOntoItselfToEncryptIt(boolean isCached) throws IOException {
        try (var target = new TargetFixture(folder, true)) {
            var bucket = isCached ? target.cached() : target.own();
            var headers = new TreeMap<>(Map.of("Content-Type", "text/colour"));
            if (isCached) {
                headers.put(Tags.HEADER, "kind=red");
            }
            var colour = new TreeMap<>(Map.of("colour", "blue"));
            var attributes = new WriteAttributes(headers, colour, Optional.empty(), Map.of(), Optional.empty());
            target.put(bucket, "a", CONTENT, attributes, Conditions.NONE);
            var node = reached(target, bucket);
            try {
                assertThat(target.cloud().memory().encrypted()).isEmpty();
                assertThat(told(copy(target, bucket, "a", "a", true))).containsExactly("AES256");
            } finally {
                node.stop(0);
            }
            assertThat(target.cloud().memory().encrypted()).isEqualTo(isCached ? List.of("a") : List.of());
            var got = target.get(bucket, "a");
            assertThat(got.body()).isEqualTo(CONTENT);
            assertThat(got.header("Content-Type")).isEqualTo("text/colour");
            assertThat(got.header("x-amz-meta-colour")).isEqualTo("blue");
            if (isCached) {
                assertThat(target.cloud().memory().tags("a").orElseThrow().header())
                        .contains("kind=red");
            }
        }
    }
}
