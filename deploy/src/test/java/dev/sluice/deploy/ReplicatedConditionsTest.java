package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.HttpDate;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeletedObject;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// Conditions and copies in a bucket with two replicas.
@Tag("shared")
final class ReplicatedConditionsTest {
    private static final Duration FULL = Duration.ofSeconds(60);
    private static final int LARGE = 3 << 20;

    @Test
    void conditionsAndCopiesHold(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        cluster.run("bucket", "create", "twice", "--replicas", "2");
        cluster.run("bucket", "create", "once", "--replicas", "1");
        try (var s3 = cluster.endpoint().client()) {
            Eventually.holds(FULL, () -> put(s3, "first", 10));
            requireHeadersOfNotModified(s3);
            requireMetadataInWords(s3);
            requireConditionsOfWrites(s3);
            requireConditionsOfDeletions(s3);
            requireResultsOfManyDeletions(s3);
            requireCopies(s3);
            requireChecksums(s3);
        }
    }

    private static void requireHeadersOfNotModified(S3Client s3) {
        var etag = put(s3, "kept", 10, request -> request.cacheControl("max-age=9"));
        var modified =
                s3.headObject(request -> request.bucket("twice").key("kept")).lastModified();
        assertThatThrownBy(() -> s3.getObjectAsBytes(
                        request -> request.bucket("twice").key("kept").ifNoneMatch(etag)))
                .isInstanceOfSatisfying(S3Exception.class, same -> {
                    assertThat(same.statusCode()).isEqualTo(304);
                    var answer = same.awsErrorDetails().sdkHttpResponse();
                    assertThat(answer.firstMatchingHeader("ETag")).contains(etag);
                    assertThat(answer.firstMatchingHeader("Last-Modified")).contains(HttpDate.format(modified));
                    assertThat(answer.firstMatchingHeader("Cache-Control")).contains("max-age=9");
                });
    }

    private static void requireMetadataInWords(S3Client s3) {
        put(s3, "words", 10, request -> request.metadata(Map.of("text", "=?UTF-8?B?Y2Fmw6k=?=")));
        assertThat(s3.headObject(request -> request.bucket("twice").key("words"))
                        .metadata())
                .containsEntry("text", "=?UTF-8?Q?caf=C3=A9?=");
    }

    private static void requireConditionsOfWrites(S3Client s3) {
        var etag = put(s3, "k", 10);
        requireRefusal(412, () -> put(s3, "k", 11, request -> request.ifNoneMatch("*")));
        requireRefusal(412, () -> put(s3, "k", 12, request -> request.ifMatch("\"other\"")));
        requireRefusal(404, () -> put(s3, "missing", 12, request -> request.ifMatch(etag)));
        assertThat(content(s3, "k")).isEqualTo(Content.of("k", 10));
        put(s3, "k", 13, request -> request.ifMatch(etag));
        put(s3, "new", 14, request -> request.ifNoneMatch("*"));
        assertThat(content(s3, "k")).isEqualTo(Content.of("k", 13));
        assertThat(content(s3, "new")).isEqualTo(Content.of("new", 14));
    }

    private static void requireConditionsOfDeletions(S3Client s3) {
        var etag = put(s3, "gone", 20);
        requireRefusal(412, () -> delete(s3, request -> request.key("gone").ifMatch("\"other\"")));
        assertThat(content(s3, "gone")).isEqualTo(Content.of("gone", 20));
        delete(s3, request -> request.key("gone").ifMatch(etag));
        requireRefusal(404, () -> content(s3, "gone"));
        requireRefusal(404, () -> delete(s3, request -> request.key("gone").ifMatch(etag)));
        delete(s3, request -> request.key("gone").ifMatchSize(3L));
        put(s3, "gone", 20);
        requireRefusal(412, () -> delete(s3, request -> request.key("gone").ifMatchSize(19L)));
        delete(s3, request -> request.key("gone").ifMatchSize(20L));
        requireRefusal(404, () -> content(s3, "gone"));
    }

    private static void requireResultsOfManyDeletions(S3Client s3) {
        var etag = put(s3, "many-1", 30);
        put(s3, "many-2", 30);
        put(s3, "many-3", 30);
        var entries = List.of(
                entry("many-1").eTag(etag).build(),
                entry("many-2").eTag("\"other\"").build(),
                entry("many-3").size(29L).build(),
                entry("missing").eTag(etag).build());
        var answer = s3.deleteObjects(request -> request.bucket("twice").delete(list -> list.objects(entries)));
        assertThat(answer.deleted()).extracting(DeletedObject::key).containsExactly("many-1");
        assertThat(answer.errors())
                .extracting(error -> error.key() + " " + error.code())
                .containsExactlyInAnyOrder(
                        "many-2 PreconditionFailed", "many-3 PreconditionFailed", "missing NoSuchKey");
        requireRefusal(404, () -> content(s3, "many-1"));
        assertThat(content(s3, "many-2")).isEqualTo(Content.of("many-2", 30));
        assertThat(content(s3, "many-3")).isEqualTo(Content.of("many-3", 30));
    }

    private static ObjectIdentifier.Builder entry(String key) {
        return ObjectIdentifier.builder().key(key);
    }

    private static void requireCopies(S3Client s3) {
        var etag = put(s3, "large", LARGE);
        s3.putObject(
                request -> request.bucket("once").key("source").metadata(Map.of("made-by", "me")),
                RequestBody.fromBytes(Content.of("source", 30)));
        copy(s3, request -> request.sourceBucket("once").sourceKey("source"), "small");
        assertThat(content(s3, "small")).isEqualTo(Content.of("source", 30));
        assertThat(s3.headObject(request -> request.bucket("twice").key("small"))
                        .metadata())
                .containsEntry("made-by", "me");
        requireRefusal(
                412,
                () -> copy(
                        s3,
                        request ->
                                request.sourceBucket("twice").sourceKey("large").copySourceIfMatch("\"other\""),
                        "small"));
        requireRefusal(
                404, () -> copy(s3, request -> request.sourceBucket("twice").sourceKey("missing"), "small"));
        assertThat(content(s3, "small")).isEqualTo(Content.of("source", 30));
        copy(s3, request -> request.sourceBucket("twice").sourceKey("large").copySourceIfMatch(etag), "small");
        assertThat(content(s3, "small")).isEqualTo(Content.of("large", LARGE));
        copy(
                s3,
                request -> request.sourceBucket("twice")
                        .sourceKey("large")
                        .metadataDirective(MetadataDirective.REPLACE)
                        .metadata(Map.of("seen", "yes")),
                "large");
        assertThat(s3.headObject(request -> request.bucket("twice").key("large"))
                        .metadata())
                .containsEntry("seen", "yes");
        assertThat(content(s3, "large")).isEqualTo(Content.of("large", LARGE));
    }

    /// The value is the one that the tests of Amazon's SDK for C++ have.
    private static void requireChecksums(S3Client s3) {
        var value = "9RrF7krhuOI=";
        Consumer<PutObjectRequest.Builder> promise =
                request -> request.bucket("twice").key("sum").checksumXXHASH3(value);
        s3.putObject(promise, RequestBody.fromString("Memento Mori"));
        requireRefusal(400, () -> s3.putObject(promise, RequestBody.fromString("Memento Vivere")));
        assertThat(content(s3, "sum")).asString().isEqualTo("Memento Mori");
        assertThat(s3.headObject(request -> request.bucket("twice").key("sum").checksumMode(ChecksumMode.ENABLED))
                        .checksumXXHASH3())
                .isEqualTo(value);
    }

    private static void requireRefusal(int status, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refusal -> assertThat(refusal.statusCode()).isEqualTo(status));
    }

    private static String put(S3Client s3, String key, int size) {
        return put(s3, key, size, _ -> {});
    }

    private static String put(S3Client s3, String key, int size, Consumer<PutObjectRequest.Builder> more) {
        return s3.putObject(
                        request -> more.accept(request.bucket("twice").key(key)),
                        RequestBody.fromBytes(Content.of(key, size)))
                .eTag();
    }

    private static void delete(S3Client s3, Consumer<DeleteObjectRequest.Builder> more) {
        s3.deleteObject(request -> more.accept(request.bucket("twice")));
    }

    private static void copy(S3Client s3, Consumer<CopyObjectRequest.Builder> from, String key) {
        s3.copyObject(request -> from.accept(request.destinationBucket("twice").destinationKey(key)));
    }

    private static byte[] content(S3Client s3, String key) {
        return s3.getObjectAsBytes(request -> request.bucket("twice").key(key)).asByteArray();
    }
}
