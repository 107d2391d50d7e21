package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deploy.harness.Endpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectAttributes;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.ObjectPart;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.model.TaggingDirective;

/// The AWS SDK for Java with its own settings: signed chunks with a checksum in the trailer.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AwsSdkForJavaTests {
    private static final byte[] SHARD = Content.of("java shard", 3 * Content.MIB + 19);

    private final Endpoint endpoint;
    private final S3Client s3;
    private final String bucket = "java-" + UUID.randomUUID().toString().substring(0, 8);

    AwsSdkForJavaTests(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.s3 = endpoint.client();
    }

    @BeforeAll
    void createBucket() {
        s3.createBucket(request -> request.bucket(bucket));
        assertThat(s3.listBuckets().buckets()).anyMatch(found -> found.name().equals(bucket));
    }

    @AfterAll
    void deleteEverything() {
        var keys = keys("").stream()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
        if (!keys.isEmpty()) { // a test that is run again is run alone
            var answer = s3.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(keys)));
            assertThat(answer.errors()).isEmpty();
        }
        s3.deleteBucket(request -> request.bucket(bucket));
        assertThatThrownBy(() -> s3.headBucket(request -> request.bucket(bucket)))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.statusCode()).isEqualTo(404));
        s3.close();
    }

    private void put(String key, byte[] body) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(body));
    }

    private byte[] get(String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArray();
    }

    private List<String> keys(String prefix) {
        return s3
                .listObjectsV2Paginator(
                        request -> request.bucket(bucket).prefix(prefix).maxKeys(3))
                .contents()
                .stream()
                .map(S3Object::key)
                .toList();
    }

    @Test
    void putHeadGetRangeCopyDelete() {
        var put = s3.putObject(
                request -> request.bucket(bucket)
                        .key("one/shard.tar")
                        .contentType("application/x-tar")
                        .metadata(Map.of("label", "7")),
                RequestBody.fromBytes(SHARD));
        assertThat(put.eTag()).isEqualTo("\"" + Content.md5(SHARD) + "\"");
        var head = s3.headObject(request -> request.bucket(bucket).key("one/shard.tar"));
        assertThat(head.contentLength()).isEqualTo(SHARD.length);
        assertThat(head.contentType()).isEqualTo("application/x-tar");
        assertThat(head.metadata()).containsExactlyEntriesOf(Map.of("label", "7"));
        assertThat(head.contentEncoding()).isNullOrEmpty();
        assertThat(Content.digest(get("one/shard.tar"))).isEqualTo(Content.digest(SHARD));
        var range = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("one/shard.tar").range("bytes=1048570-1048585"));
        assertThat(range.asByteArray()).isEqualTo(Arrays.copyOfRange(SHARD, 1048570, 1048586));
        assertThat(range.response().contentRange()).isEqualTo("bytes 1048570-1048585/" + SHARD.length);
        s3.copyObject(request -> request.sourceBucket(bucket)
                .sourceKey("one/shard.tar")
                .destinationBucket(bucket)
                .destinationKey("one/copy"));
        s3.deleteObject(request -> request.bucket(bucket).key("one/shard.tar"));
        assertThat(Content.digest(get("one/copy"))).isEqualTo(Content.digest(SHARD));
        assertThatThrownBy(() -> get("one/shard.tar")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void whatIsNotConfiguredIsToldAndAnObjectHasItsOwnersAclAndNoTags() {
        put("asked/k", SHARD);
        assertThat(s3.getBucketAcl(request -> request.bucket(bucket)).grants())
                .singleElement()
                .satisfies(grant -> assertThat(grant.permissionAsString()).isEqualTo("FULL_CONTROL"));
        assertThat(s3.getObjectAcl(request -> request.bucket(bucket).key("asked/k"))
                        .grants())
                .hasSize(1);
        assertThat(s3.getObjectTagging(request -> request.bucket(bucket).key("asked/k"))
                        .tagSet())
                .isEmpty();
        assertThatThrownBy(() ->
                        s3.getObjectTagging(request -> request.bucket(bucket).key("asked/none")))
                .isInstanceOf(NoSuchKeyException.class);
        assertThat(s3.getBucketLogging(request -> request.bucket(bucket)).loggingEnabled())
                .isNull();
        assertThatThrownBy(() -> s3.getBucketTagging(request -> request.bucket(bucket)))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("NoSuchTagSet"));
        var versions =
                s3.listObjectVersionsPaginator(request -> request.bucket(bucket).prefix("asked/"));
        assertThat(versions.versions()).singleElement().satisfies(version -> {
            assertThat(version.key()).isEqualTo("asked/k");
            assertThat(version.versionId()).isEqualTo("null");
            assertThat(version.isLatest()).isTrue();
        });
        var head =
                s3.headObject(request -> request.bucket(bucket).key("asked/k").versionId("null"));
        assertThat(head.contentLength()).isEqualTo(SHARD.length);
    }

    @Test
    void unfinishedUploadsKeepNoBucketAndGoWithIt() {
        var doomed = bucket + "-doomed";
        s3.createBucket(request -> request.bucket(doomed));
        var id = s3.createMultipartUpload(request -> request.bucket(doomed).key("a"))
                .uploadId();
        s3.uploadPart(
                request -> request.bucket(doomed).key("a").uploadId(id).partNumber(1), RequestBody.fromBytes(SHARD));
        s3.deleteBucket(request -> request.bucket(doomed));
        s3.createBucket(request -> request.bucket(doomed));
        assertThat(s3.listMultipartUploads(request -> request.bucket(doomed)).uploads())
                .isEmpty();
        s3.deleteBucket(request -> request.bucket(doomed));
    }

    @Test
    void copyOfARangeBehindTheSourceIsRefused() {
        put("ranges/source", SHARD);
        var id = s3.createMultipartUpload(request -> request.bucket(bucket).key("ranges/copy"))
                .uploadId();
        assertThatThrownBy(() -> s3.uploadPartCopy(request -> request.sourceBucket(bucket)
                        .sourceKey("ranges/source")
                        .copySourceRange("bytes=0-" + SHARD.length)
                        .destinationBucket(bucket)
                        .destinationKey("ranges/copy")
                        .uploadId(id)
                        .partNumber(1)))
                .isInstanceOfSatisfying(S3Exception.class, e -> {
                    assertThat(e.statusCode()).isEqualTo(400);
                    assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InvalidArgument");
                });
        assertThat(s3.listParts(request ->
                                request.bucket(bucket).key("ranges/copy").uploadId(id))
                        .parts())
                .isEmpty();
        s3.abortMultipartUpload(
                request -> request.bucket(bucket).key("ranges/copy").uploadId(id));
    }

    @Test
    void listsByPagesAndLevels() {
        var names =
                Stream.of("a", "b/1", "b/2", "c/1", "d").map("list/"::concat).toList();
        names.forEach(name -> put(name, name.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(keys("list/")).isEqualTo(names);
        assertThat(s3.listObjectsV2(request ->
                                request.bucket(bucket).prefix("list/").delimiter("/"))
                        .commonPrefixes())
                .extracting(found -> found.prefix())
                .containsExactly("list/b/", "list/c/");
        var first =
                s3.listObjects(request -> request.bucket(bucket).prefix("list/").maxKeys(2));
        assertThat(first.isTruncated()).isTrue();
        assertThat(s3.listObjects(request ->
                                request.bucket(bucket).prefix("list/").marker("list/b/1"))
                        .contents())
                .extracting(S3Object::key)
                .containsExactly("list/b/2", "list/c/1", "list/d");
    }

    @Test
    void uploads64MebibytesInParts() {
        var body = Content.of("java big", 64 * Content.MIB);
        var upload = s3.createMultipartUpload(request -> request.bucket(bucket).key("big"))
                .uploadId();
        var parts = new ArrayList<CompletedPart>();
        for (int number = 1, size = 16 * Content.MIB; number <= 4; number++) {
            int part = number;
            var bytes = Arrays.copyOfRange(body, (part - 1) * size, part * size);
            var sent = s3.uploadPart(
                    request ->
                            request.bucket(bucket).key("big").uploadId(upload).partNumber(part),
                    RequestBody.fromBytes(bytes));
            parts.add(CompletedPart.builder()
                    .partNumber(part)
                    .eTag(sent.eTag())
                    .checksumCRC32(sent.checksumCRC32())
                    .build());
        }
        var done = s3.completeMultipartUpload(
                request -> request.bucket(bucket).key("big").uploadId(upload).multipartUpload(all -> all.parts(parts)));
        assertThat(done.eTag()).endsWith("-4\"");
        assertThat(Content.digest(get("big"))).isEqualTo(Content.digest(body));
    }

    @Test
    void everyChecksumOfTheSdk() {
        for (var algorithm : List.of(
                ChecksumAlgorithm.CRC32,
                ChecksumAlgorithm.CRC32_C,
                ChecksumAlgorithm.CRC64_NVME,
                ChecksumAlgorithm.SHA1,
                ChecksumAlgorithm.SHA256)) {
            var key = "sum/" + algorithm;
            if (algorithm == ChecksumAlgorithm.CRC64_NVME) {
                continue; // the SDK computes it only with a native library; boto3's checks send it as a header
            }
            s3.putObject(
                    request -> request.bucket(bucket).key(key).checksumAlgorithm(algorithm),
                    RequestBody.fromBytes(SHARD));
            var got = s3.getObjectAsBytes( // compared by the SDK as well
                    request -> request.bucket(bucket).key(key).checksumMode(ChecksumMode.ENABLED));
            assertThat(Content.digest(got.asByteArray())).isEqualTo(Content.digest(SHARD));
            assertThat(Stream.of(
                                    got.response().checksumCRC32(),
                                    got.response().checksumCRC32C(),
                                    got.response().checksumSHA1(),
                                    got.response().checksumSHA256())
                            .filter(sum -> sum != null)
                            .toList())
                    .as("checksums in the answer for " + algorithm)
                    .hasSize(1);
        }
    }

    @Test
    void aCopyOntoItselfAddsAChecksum() {
        put("sum/later", SHARD);
        s3.copyObject(copy -> copy.sourceBucket(bucket)
                .sourceKey("sum/later")
                .destinationBucket(bucket)
                .destinationKey("sum/later")
                .checksumAlgorithm(ChecksumAlgorithm.SHA256));
        var got = s3.getObjectAsBytes(
                request -> request.bucket(bucket).key("sum/later").checksumMode(ChecksumMode.ENABLED));
        assertThat(got.asByteArray()).isEqualTo(SHARD);
        assertThat(got.response().checksumSHA256()).isNotNull();
    }

    @Test
    void refusals() {
        try (var wrong = new Endpoint(endpoint.url(), endpoint.accessKey(), "wrong").client();
                var nobody = new Endpoint(endpoint.url(), "NOBODY", endpoint.secretKey()).client()) {
            assertRefused("SignatureDoesNotMatch", 403, () -> wrong.listBuckets());
            assertRefused("InvalidAccessKeyId", 403, () -> nobody.listBuckets());
            assertRefused(
                    "SignatureDoesNotMatch",
                    403,
                    () -> wrong.putObject(
                            request -> request.bucket(bucket).key("intruder"), RequestBody.fromBytes(SHARD)));
        }
        assertThatThrownBy(() -> s3.listObjectsV2(request -> request.bucket("no-such-bucket-here")))
                .isInstanceOf(NoSuchBucketException.class);
        put("kept", SHARD);
        assertRefused("BucketNotEmpty", 409, () -> s3.deleteBucket(request -> request.bucket(bucket)));
        assertRefused(
                "PreconditionFailed",
                412,
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("kept").ifNoneMatch("*"),
                        RequestBody.fromString("other")));
    }

    private static void assertRefused(String code, int status, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(S3Exception.class, e -> {
            assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code);
            assertThat(e.statusCode()).isEqualTo(status);
        });
    }

    @Test
    void manySmallObjectsAtOnce() {
        var names = IntStream.range(0, 200).mapToObj("many/%03d"::formatted).toList();
        names.parallelStream().forEach(name -> put(name, Content.of(name, 2000)));
        assertThat(keys("many/")).isEqualTo(names);
        names.parallelStream().forEach(name -> assertThat(get(name)).as(name).isEqualTo(Content.of(name, 2000)));
    }

    // ---- tags

    private Map<String, String> tags(String key) {
        return s3.getObjectTagging(request -> request.bucket(bucket).key(key)).tagSet().stream()
                .collect(Collectors.toMap(Tag::key, Tag::value));
    }

    private Integer tagCount(String key) {
        return s3.getObject(request -> request.bucket(bucket).key(key), ResponseTransformer.toBytes())
                .response()
                .tagCount();
    }

    @Test
    void tagsAreKeptWithTheObjectAndGoWithItsCopies() {
        s3.putObject(
                request -> request.bucket(bucket).key("tags/a").tagging("team=vision%20%2B%20speech&stage=raw"),
                RequestBody.fromString("tagged"));
        var sent = Map.of("team", "vision + speech", "stage", "raw");
        assertThat(tags("tags/a")).isEqualTo(sent);
        assertThat(tagCount("tags/a")).isEqualTo(2);
        s3.copyObject(copy -> copy.sourceBucket(bucket)
                .sourceKey("tags/a")
                .destinationBucket(bucket)
                .destinationKey("tags/b"));
        assertThat(tags("tags/b")).isEqualTo(sent);
        s3.copyObject(copy -> copy.sourceBucket(bucket)
                .sourceKey("tags/a")
                .destinationBucket(bucket)
                .destinationKey("tags/c")
                .taggingDirective(TaggingDirective.REPLACE)
                .tagging("only=this"));
        assertThat(tags("tags/c")).isEqualTo(Map.of("only", "this"));
        s3.copyObject(copy -> copy.sourceBucket(bucket)
                .sourceKey("tags/a")
                .destinationBucket(bucket)
                .destinationKey("tags/d")
                .taggingDirective(TaggingDirective.REPLACE));
        assertThat(tags("tags/d")).isEmpty();
        put("tags/a", new byte[1]);
        assertThat(tags("tags/a")).isEmpty();
        assertThat(tagCount("tags/a")).isNull();
        assertThatThrownBy(() -> tags("tags/none")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void tagsOfAMultipartUploadAreItsObjects() {
        var id = s3.createMultipartUpload(
                        request -> request.bucket(bucket).key("tags/parts").tagging("a=1&b=2"))
                .uploadId();
        var part = s3.uploadPart(
                request -> request.bucket(bucket).key("tags/parts").uploadId(id).partNumber(1),
                RequestBody.fromString("one part"));
        s3.completeMultipartUpload(request -> request.bucket(bucket)
                .key("tags/parts")
                .uploadId(id)
                .multipartUpload(upload -> upload.parts(CompletedPart.builder()
                        .partNumber(1)
                        .eTag(part.eTag())
                        .checksumCRC32(part.checksumCRC32())
                        .build())));
        assertThat(tags("tags/parts")).isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(tagCount("tags/parts")).isEqualTo(2);
    }

    @Test
    void attributesOfAMultipartObjectListItsParts() {
        var id = s3.createMultipartUpload(request ->
                        request.bucket(bucket).key("attributes/parts").checksumAlgorithm(ChecksumAlgorithm.CRC32_C))
                .uploadId();
        var contents = List.of(Content.of("first part", 5 * Content.MIB), Content.of("second part", 1000));
        var parts = IntStream.range(0, 2)
                .mapToObj(i -> {
                    var sent = s3.uploadPart(
                            request -> request.bucket(bucket)
                                    .key("attributes/parts")
                                    .uploadId(id)
                                    .checksumAlgorithm(ChecksumAlgorithm.CRC32_C)
                                    .partNumber(i + 1),
                            RequestBody.fromBytes(contents.get(i)));
                    return CompletedPart.builder()
                            .partNumber(i + 1)
                            .eTag(sent.eTag())
                            .checksumCRC32C(sent.checksumCRC32C())
                            .build();
                })
                .toList();
        var made = s3.completeMultipartUpload(request -> request.bucket(bucket)
                .key("attributes/parts")
                .uploadId(id)
                .multipartUpload(upload -> upload.parts(parts)));
        var attributes = s3.getObjectAttributes(request ->
                request.bucket(bucket).key("attributes/parts").objectAttributes(ObjectAttributes.knownValues()));
        assertThat('"' + attributes.eTag() + '"').isEqualTo(made.eTag());
        assertThat(attributes.objectSize()).isEqualTo(5 * Content.MIB + 1000);
        assertThat(attributes.storageClassAsString()).isEqualTo("STANDARD");
        assertThat(attributes.checksum().checksumCRC32C() + "-2").isEqualTo(made.checksumCRC32C());
        assertThat(attributes.checksum().checksumTypeAsString()).isEqualTo("COMPOSITE");
        assertThat(attributes.objectParts().totalPartsCount()).isEqualTo(2);
        assertThat(attributes.objectParts().parts())
                .extracting(ObjectPart::checksumCRC32C)
                .isEqualTo(parts.stream().map(CompletedPart::checksumCRC32C).toList());
        var second = s3.headObject(request ->
                request.bucket(bucket).key("attributes/parts").partNumber(2).checksumMode(ChecksumMode.ENABLED));
        assertThat(second.checksumCRC32C()).isEqualTo(parts.getLast().checksumCRC32C());
        assertThat(second.contentLength()).isEqualTo(1000);
    }

    @Test
    void tagsOfABucketAreADocumentOfIt() {
        s3.putBucketTagging(request -> request.bucket(bucket)
                .tagging(tagging ->
                        tagging.tagSet(Tag.builder().key("team").value("vision").build())));
        assertThat(s3.getBucketTagging(request -> request.bucket(bucket)).tagSet())
                .containsExactly(Tag.builder().key("team").value("vision").build());
        s3.deleteBucketTagging(request -> request.bucket(bucket));
        assertThatThrownBy(() -> s3.getBucketTagging(request -> request.bucket(bucket)))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("NoSuchTagSet"));
    }
}
