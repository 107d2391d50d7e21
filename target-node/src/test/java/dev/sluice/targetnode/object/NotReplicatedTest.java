package dev.sluice.targetnode.object;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a target refuses in a bucket with several replicas.
class NotReplicatedTest {
    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private Bucket replicated() {
        var own = target.own();
        return new Bucket(
                own.id(), own.name(), own.createdMillis(), 0, own.properties().withReplicas(2));
    }

    private static ObjectName name(Bucket bucket) {
        return new ObjectName(bucket.name(), "a");
    }

    private static ObjectCall call(S3Request.OnObject request, Bucket bucket) {
        return TargetFixture.call(request, bucket, 0);
    }

    /// It is thrown by the look at the head: nothing has been asked for yet.
    @Test
    void multipartUploadsIntoReplicatedBucketAreNotImplemented() {
        var bucket = replicated();
        var name = name(bucket);
        var source = new ObjectName("cached", "b");
        for (var request : List.<S3Request.OnObject>of(
                new S3Request.CreateMultipartUpload(name, PLAIN, false),
                new S3Request.UploadPart(name, "id", 1, PLAIN),
                new S3Request.UploadPartCopy(name, "id", 1, source, Optional.empty(), Conditions.NONE),
                new S3Request.ListParts(name, "id", 0, 1000),
                new S3Request.CompleteMultipartUpload(name, "id", Map.of(), Conditions.NONE))) {
            var call = call(request, bucket);
            var refusal = catchThrowableOfType(
                    S3Failure.class, () -> target.handlers().object(call));
            assertThat(refusal).as("%s", request).isNotNull();
            assertThat(refusal.error().status()).as("%s", request).isEqualTo(501);
            assertThat(refusal.error().code()).isEqualTo("NotImplemented");
            assertThat(refusal.error().message()).contains("bucket own, which has 2 replicas");
            assertThatCode(() -> target.handlers().object(call(request, target.own())))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void readsPutsCopiesAndDeletionsAreNotRefused() {
        var bucket = replicated();
        var name = name(bucket);
        var source = new ObjectName("cached", "b");
        for (var request : List.<S3Request.OnObject>of(
                new S3Request.CopyObject(name, source, false, PLAIN, Conditions.NONE, Conditions.NONE),
                new S3Request.PutObject(name, PLAIN, Conditions.NONE),
                new S3Request.DeleteObject(name, DeleteConditions.NONE),
                new S3Request.AbortMultipartUpload(name, "id"))) {
            assertThatCode(() -> target.handlers().object(call(request, bucket)))
                    .doesNotThrowAnyException();
        }
    }
}
