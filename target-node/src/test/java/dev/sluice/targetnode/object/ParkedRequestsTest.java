package dev.sluice.targetnode.object;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.slots.UploadCover;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Requests at a target that is not the primary of their key, or not yet.
@Timeout(60)
class ParkedRequestsTest {
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

    /// Of a target that becomes the primary when the test says so, and has nothing then.
    private static final class Becoming implements SlotWriter {
        private final CountDownLatch asked = new CountDownLatch(2);
        private volatile boolean serves;

        @Override
        public boolean serves(long bucketId, String key) {
            asked.countDown();
            return serves;
        }

        @Override
        public Serving serving(BucketRef bucket, String key) {
            throw new StoreException.NoSuchKey("judged");
        }

        @Override
        public Page list(long bucketId, ListQuery query) {
            throw new StoreException.NoSuchKey("judged");
        }

        @Override
        public boolean isEmpty(long bucketId, boolean uploadsCount) {
            throw new StoreException.NoSuchKey("judged");
        }

        @Override
        public UploadCover uploads(long bucketId) {
            throw new StoreException.NoSuchKey("judged");
        }

        @Override
        public boolean mend(BucketRef bucket, String key, String drive) {
            return false;
        }
    }

    /// A body that nobody may ask for.
    private static final class Unasked implements ByteSource {
        @Override
        public ByteBuffer next() {
            throw new AssertionError("the body was asked for");
        }

        @Override
        public void close() {}
    }

    private Bucket replicated() {
        var own = target.own();
        return new Bucket(
                own.id(), own.name(), own.createdMillis(), 0, own.properties().withReplicas(2), 1);
    }

    private Answer ask(S3Request.OnObject request) {
        var answer = target.handlers().object(TargetFixture.call(request, replicated(), 3));
        return answer instanceof Blocking(var work) ? work.run(new Unasked()) : answer;
    }

    @Test
    void nothingIsJudgedAndNoBodyAskedForWhereTheKeyIsNot() {
        var name = new ObjectName("own", "a");
        long begun = System.nanoTime();
        assertThatThrownBy(() -> ask(new S3Request.PutObject(name, PLAIN, Conditions.NONE)))
                .isInstanceOf(StoreException.NotPrimary.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void aRequestIsServedOnceTheTargetIsThePrimary() throws Exception {
        var becoming = new Becoming();
        target.store().replicate(becoming);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answer = threads.submit(() -> ask(new S3Request.GetObjectAcl(new ObjectName("own", "a"))));
            assertThat(becoming.asked.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(answer.isDone()).isFalse();
            becoming.serves = true;
            assertThatThrownBy(answer::get).cause().isInstanceOf(StoreException.NoSuchKey.class);
        }
    }

    /// Its client, or the node that relayed it, has been told that its result is not known: another may have written
    /// the key meanwhile.
    @Test
    void aRequestThatNobodyWaitsForIsNotServed() {
        var parked = new ParkedRequests(new SimpleMeterRegistry(), Tags.empty());
        var gone = new AtomicBoolean();
        assertThat(parked.await(() -> gone.getAndSet(true), gone::get)).isFalse();
        assertThat(parked.await(() -> true, () -> true)).isFalse();
    }

    @Test
    void onlySoManyWait() {
        var meters = new SimpleMeterRegistry();
        var parked = new ParkedRequests(meters, Tags.empty(), 0);
        long begun = System.nanoTime();
        assertThat(parked.await(() -> false, () -> false)).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
        assertThat(meters.get("sluice.parked").gauge().value()).isZero();
        assertThat(meters.get("sluice.parked.ended")
                        .tag("result", "refused")
                        .counter()
                        .count())
                .isEqualTo(1);
    }
}
