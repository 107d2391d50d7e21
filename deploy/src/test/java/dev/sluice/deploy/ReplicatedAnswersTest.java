package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.Permission;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/// What S3 answers around the bytes, of a bucket with two replicas.
@Tag("shared")
final class ReplicatedAnswersTest {
    private static final Duration FULL = Duration.ofSeconds(60);
    private static final String BUCKET = "two-answers";
    private static final String ONCE = "one-answers";

    @Test
    void aReplicatedBucketAnswersAsAnother(@Running(Mode.SEPARATE) SluiceCluster cluster) throws Exception {
        cluster.run("bucket", "create", BUCKET, "--replicas", "2");
        cluster.run("bucket", "create", ONCE, "--replicas", "1");
        try (var s3 = cluster.endpoint().client()) {
            Eventually.holds(FULL, () -> put(s3, "first"));
            requireNoBodyByRdma(s3);
            requireNoEncryption(s3);
            requireNoPartBehindTheSource(s3);
            requireAnswersOfWhatIsNotConfigured(s3);
            requireVersions(s3);
            requireUploads(s3);
            requireDeletion(s3);
        }
    }

    private static void requireNoBodyByRdma(S3Client s3) {
        requireRefusal(
                501,
                "NotImplemented",
                () -> s3.putObject(
                        request -> request.bucket(BUCKET)
                                .key("rdma")
                                .overrideConfiguration(more -> more.putHeader("x-amz-rdma-token", "00")),
                        RequestBody.empty()));
        requireRefusal(
                404,
                "NoSuchKey",
                () -> s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("rdma")));
        var got = s3.getObjectAsBytes(request -> request.bucket(BUCKET)
                .key("first")
                .overrideConfiguration(more -> more.putHeader("x-amz-rdma-token", "00")));
        assertThat(got.asByteArray()).isEqualTo(Content.of("first", 100));
        assertThat(got.response().sdkHttpResponse().firstMatchingHeader("x-amz-rdma-reply"))
                .contains("501");
    }

    private static void requireNoEncryption(S3Client s3) {
        requireRefusal(
                501,
                "NotImplemented",
                () -> s3.putObject(
                        request -> request.bucket(BUCKET)
                                .key("encrypted")
                                .serverSideEncryption(ServerSideEncryption.AES256),
                        RequestBody.empty()));
        requireRefusal(
                404,
                "NoSuchKey",
                () -> s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("encrypted")));
        requireRefusal(
                404,
                "ServerSideEncryptionConfigurationNotFoundError",
                () -> s3.getBucketEncryption(request -> request.bucket(BUCKET)));
    }

    private static void requireNoPartBehindTheSource(S3Client s3) {
        var upload = s3.createMultipartUpload(request -> request.bucket(ONCE).key("parts"))
                .uploadId();
        for (var range : List.of("bytes=0-100", "bytes=100-200")) {
            requireRefusal(
                    400,
                    "InvalidArgument",
                    () -> s3.uploadPartCopy(request -> request.sourceBucket(BUCKET)
                            .sourceKey("first")
                            .copySourceRange(range)
                            .destinationBucket(ONCE)
                            .destinationKey("parts")
                            .uploadId(upload)
                            .partNumber(1)));
        }
        assertThat(s3.listParts(request -> request.bucket(ONCE).key("parts").uploadId(upload))
                        .parts())
                .isEmpty();
        s3.deleteBucket(request -> request.bucket(ONCE)); // with the upload that has not ended
    }

    private static void requireAnswersOfWhatIsNotConfigured(S3Client s3) {
        requireRefusal(404, "NoSuchCORSConfiguration", () -> s3.getBucketCors(request -> request.bucket(BUCKET)));
        requireRefusal(
                404,
                "NoSuchLifecycleConfiguration",
                () -> s3.getBucketLifecycleConfiguration(request -> request.bucket(BUCKET)));
        requireRefusal(404, "NoSuchTagSet", () -> s3.getBucketTagging(request -> request.bucket(BUCKET)));
        assertThat(s3.getBucketLogging(request -> request.bucket(BUCKET)).loggingEnabled())
                .isNull();
        assertThat(s3.getBucketAcl(request -> request.bucket(BUCKET)).grants())
                .extracting(grant -> grant.permission())
                .containsExactly(Permission.FULL_CONTROL);
        assertThat(s3.getObjectTagging(request -> request.bucket(BUCKET).key("first"))
                        .tagSet())
                .isEmpty();
        requireRefusal(
                404,
                "NoSuchKey",
                () -> s3.getObjectTagging(request -> request.bucket(BUCKET).key("missing")));
    }

    private static void requireVersions(S3Client s3) {
        put(s3, "second");
        assertThat(s3.listObjectVersions(request -> request.bucket(BUCKET)).versions())
                .extracting(ObjectVersion::key, ObjectVersion::versionId, ObjectVersion::isLatest)
                .containsExactly(tuple("first", "null", true), tuple("second", "null", true));
        assertThat(s3.getObjectAsBytes(
                                request -> request.bucket(BUCKET).key("second").versionId("null"))
                        .asByteArray())
                .isEqualTo(Content.of("second", 100));
    }

    private static void requireUploads(S3Client s3) {
        var kept = s3.createMultipartUpload(request -> request.bucket(BUCKET).key("parts"))
                .uploadId();
        var aborted = s3.createMultipartUpload(request -> request.bucket(BUCKET).key("aborted"))
                .uploadId();
        assertThat(s3.listMultipartUploads(request -> request.bucket(BUCKET)).uploads())
                .extracting(MultipartUpload::key, MultipartUpload::uploadId)
                .containsExactly(tuple("aborted", aborted), tuple("parts", kept));
        s3.abortMultipartUpload(request -> request.bucket(BUCKET).key("aborted").uploadId(aborted));
        var content = Content.of("parts", 11 << 20);
        var parts = new ArrayList<CompletedPart>();
        for (int number = 1; number <= 2; number++) {
            int part = number;
            var bytes =
                    part == 1 ? Arrays.copyOf(content, 8 << 20) : Arrays.copyOfRange(content, 8 << 20, content.length);
            var sent = s3.uploadPart(
                    request ->
                            request.bucket(BUCKET).key("parts").uploadId(kept).partNumber(part),
                    RequestBody.fromBytes(bytes));
            parts.add(CompletedPart.builder()
                    .partNumber(part)
                    .eTag(sent.eTag())
                    .checksumCRC32(sent.checksumCRC32())
                    .build());
        }
        for (int again = 0; again < 2; again++) {
            assertThat(s3.completeMultipartUpload(request -> request.bucket(BUCKET)
                                    .key("parts")
                                    .uploadId(kept)
                                    .multipartUpload(upload -> upload.parts(parts)))
                            .eTag())
                    .endsWith("-2\"");
        }
        assertThat(s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("parts"))
                        .asByteArray())
                .isEqualTo(content);
        requireRefusal(
                404,
                "NoSuchUpload",
                () -> s3.listParts(
                        request -> request.bucket(BUCKET).key("parts").uploadId(kept)));
        assertThat(s3.listMultipartUploads(request -> request.bucket(BUCKET)).uploads())
                .isEmpty();
        s3.deleteObject(request -> request.bucket(BUCKET).key("parts"));
    }

    private static void requireDeletion(S3Client s3) {
        requireRefusal(409, "BucketNotEmpty", () -> s3.deleteBucket(request -> request.bucket(BUCKET)));
        for (var key : List.of("first", "second")) {
            s3.deleteObject(request -> request.bucket(BUCKET).key(key));
        }
        s3.deleteBucket(request -> request.bucket(BUCKET));
        requireRefusal(404, "NoSuchBucket", () -> s3.getBucketCors(request -> request.bucket(BUCKET)));
    }

    private static void requireRefusal(int status, String code, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(S3Exception.class, refusal -> {
            assertThat(refusal.awsErrorDetails().errorCode()).isEqualTo(code);
            assertThat(refusal.statusCode()).isEqualTo(status);
        });
    }

    private static void put(S3Client s3, String key) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(Content.of(key, 100)));
    }
}
