package dev.sluice.targetnode.object;

import static dev.sluice.targetnode.coldfill.TargetFixture.md5;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DeleteConditionsTest {
    private static final byte[] CONTENT = random(1, 1000);

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private List<Bucket> buckets() {
        return List.of(target.own(), target.cached());
    }

    private static DeleteConditions etag(String etag) {
        return new DeleteConditions(Optional.of(etag), Optional.empty(), Optional.empty());
    }

    private static DeleteConditions size(long size) {
        return new DeleteConditions(Optional.empty(), Optional.of(size), Optional.empty());
    }

    private static DeleteConditions modified(Instant time) {
        return new DeleteConditions(Optional.empty(), Optional.empty(), Optional.of(time));
    }

    private Instant put(Bucket bucket, String key) {
        target.put(bucket, key, CONTENT);
        return DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                target.head(bucket, key).header("Last-Modified"), Instant::from);
    }

    @Test
    void anObjectIsDeletedOnlyWhenEveryConditionHolds() {
        for (var bucket : buckets()) {
            var time = put(bucket, "a");
            for (var failing : List.of(
                    etag("\"other\""),
                    size(999),
                    modified(time.plusSeconds(1)),
                    new DeleteConditions(Optional.of(md5(CONTENT)), Optional.of(1000L), Optional.of(Instant.EPOCH)))) {
                assertThatThrownBy(() -> target.delete(bucket, "a", failing))
                        .as("%s", failing)
                        .isInstanceOf(StoreException.PreconditionFailed.class);
                assertThat(target.get(bucket, "a").body()).isEqualTo(CONTENT);
            }
            for (var holding : List.of(
                    etag('"' + md5(CONTENT) + '"'),
                    etag("*"),
                    size(1000),
                    modified(put(bucket, "a").plusMillis(7)))) {
                target.put(bucket, "b", CONTENT);
                var key = holding.ifModified().isPresent() ? "a" : "b";
                assertThat(target.delete(bucket, key, holding).status())
                        .as("%s", holding)
                        .isEqualTo(204);
                assertThatThrownBy(() -> target.get(bucket, key)).isInstanceOf(StoreException.NoSuchKey.class);
                target.delete(bucket, "b");
            }
        }
    }

    @Test
    void aMissingObjectHasNoEtagButAnySizeAndTime() {
        for (var bucket : buckets()) {
            assertThatThrownBy(() -> target.delete(bucket, "missing", etag("*")))
                    .isInstanceOf(StoreException.NoSuchKey.class);
            assertThat(target.delete(bucket, "missing", size(1)).status()).isEqualTo(204);
            assertThat(target.delete(bucket, "missing", modified(Instant.EPOCH)).status())
                    .isEqualTo(204);
        }
    }

    @Test
    void eachOfManyDeletionsHasItsOwnResult() {
        for (var bucket : buckets()) {
            for (var key : List.of("a", "b", "c")) {
                target.put(bucket, key, CONTENT);
            }
            var outcomes = target.handlers()
                    .delete(
                            bucket,
                            List.of(
                                    new S3Request.Deletion("a", etag(md5(CONTENT))),
                                    new S3Request.Deletion("b", etag("other")),
                                    new S3Request.Deletion("b", size(1)),
                                    new S3Request.Deletion("missing", etag("*")),
                                    new S3Request.Deletion("missing", size(1)),
                                    new S3Request.Deletion("c", DeleteConditions.NONE)),
                            () -> false);
            assertThat(outcomes)
                    .extracting(DeleteConditionsTest::result)
                    .containsExactly(
                            "a -",
                            "b PreconditionFailed",
                            "b PreconditionFailed",
                            "missing NoSuchKey",
                            "missing -",
                            "c -");
            assertThat(target.get(bucket, "b").body()).isEqualTo(CONTENT);
            target.delete(bucket, "b");
        }
    }

    private static String result(DeleteOutcome outcome) {
        return outcome.key() + " "
                + outcome.failure()
                        .map(failure -> failure.toException().getClass().getSimpleName())
                        .orElse("-");
    }
}
