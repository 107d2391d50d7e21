package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.object.ObjectSizeLimit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Objects above `limits.object_size`, in buckets with a backend and without.
class ObjectSizeLimitTest {
    private static final int LIMIT = 6 << 20;

    /// A body that must not be asked for.
    private static final ByteSource UNREAD = new ByteSource() {
        @Override
        public ByteBuffer next() {
            throw new AssertionError("the body was read");
        }

        @Override
        public void close() {}
    };

    @TempDir
    private Path folder;

    private @Nullable TargetFixture opened;

    @BeforeEach
    void open() throws IOException {
        opened = new TargetFixture(folder, new ObjectSizeLimit(LIMIT));
    }

    @AfterEach
    void close() {
        target().close();
    }

    private TargetFixture target() {
        return Objects.requireNonNull(opened);
    }

    @Test
    void objectAboveTheLimitIsRefusedBeforeItsBytesAreTaken() {
        for (var bucket : new Bucket[] {target().own(), target().cached()}) {
            assertThat(target().put(bucket, "fits", random(1, LIMIT)).status()).isEqualTo(200);
            var put = new S3Request.PutObject(
                    new ObjectName(bucket.name(), "large"), TargetFixture.PLAIN, Conditions.NONE);
            assertThatThrownBy(() -> target().run(TargetFixture.call(put, bucket, LIMIT + 1L), UNREAD))
                    .isInstanceOf(StoreException.EntityTooLarge.class)
                    .hasMessageContaining("limits.object_size allows " + LIMIT)
                    .satisfies(refused -> assertThat(
                                    S3Errors.of((StoreException) refused).status())
                            .isEqualTo(400));
            assertThat(target().stored(bucket, "large")).isFalse();
        }
    }

    @Test
    void partsThatAreTooLargeTogetherAreRefusedByComplete() {
        for (var bucket : new Bucket[] {target().own(), target().cached()}) {
            var parts = new byte[][] {random(1, 5 << 20), random(2, 2 << 20)};
            var id = target().upload(bucket, "large", parts);
            var part = new S3Request.UploadPart(new ObjectName(bucket.name(), "large"), id, 3, TargetFixture.PLAIN);
            assertThatThrownBy(() -> target().run(TargetFixture.call(part, bucket, LIMIT + 1L), UNREAD))
                    .isInstanceOf(StoreException.EntityTooLarge.class);
            assertThatThrownBy(() -> target().complete(bucket, "large", id, parts))
                    .isInstanceOf(StoreException.EntityTooLarge.class);
            assertThat(target().complete(bucket, "large", id, parts[0]).status())
                    .as("fewer of them")
                    .isEqualTo(200);
        }
    }
}
