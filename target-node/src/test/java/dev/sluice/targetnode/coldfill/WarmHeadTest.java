package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.BackendSettings;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// HEAD with `Range: bytes=0-0`: any S3 client can begin an object's fill, and look whether it is here.
@Timeout(60)
class WarmHeadTest {
    private static final byte[] SHARD = random(1, 3_000_000);
    private static final Optional<ByteRange> FIRST_BYTE = Optional.of(new ByteRange.FromTo(0, 0));

    @TempDir
    private Path folder;

    private TargetFixture target;
    private ExecutorService clients;
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        clients = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        goOn.countDown();
        try {
            target.requireNothingLeft();
        } finally {
            clients.close();
            target.close();
        }
    }

    private Received head(String key) {
        return target.head(target.cached(), key, FIRST_BYTE);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void holdBodies() {
        target.cloud().body((_, _) -> await(goOn));
    }

    @Test
    void headBeginsTheFillAndDoesNotWaitForItsEnd() {
        target.inCloud("a", SHARD);
        holdBodies();
        var begun = head("a");
        assertThat(begun.status()).isEqualTo(206);
        assertThat(begun.header("X-Cache")).isEqualTo("MISS");
        assertThat(begun.header("Content-Range")).isEqualTo("bytes 0-0/3000000");
        assertThat(begun.header("ETag")).isEqualTo('"' + TargetFixture.md5(SHARD) + '"');
        assertThat(head("a").header("X-Cache")).isEqualTo("FILL");
        assertThat(target.meter("sluice.head.fills.running")).isEqualTo(1);
        goOn.countDown();
        target.awaitFills();
        assertThat(target.meter("sluice.head.fills.running")).isZero();
        var warm = head("a");
        assertThat(warm.status()).isEqualTo(206);
        assertThat(warm.header("X-Cache")).isEqualTo("HIT");
        assertThat(warm.header("Content-Range")).isEqualTo("bytes 0-0/3000000");
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(SHARD);
        assertThat(target.gets()).isEqualTo(1);
        assertThat(target.cloud().memory().requests("head")).isZero();
    }

    @Test
    void readersFollowTheFillThatAHeadBegan() {
        target.inCloud("a", SHARD);
        holdBodies();
        assertThat(head("a").header("X-Cache")).isEqualTo("MISS");
        var open = target.open(target.cached(), "a", Optional.empty(), Conditions.NONE);
        goOn.countDown();
        var received = Received.of(open);
        assertThat(received.header("X-Cache")).isEqualTo("FILL");
        assertThat(received.body()).isEqualTo(SHARD);
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void emptyObjectIsRefusedAndWarm() {
        target.inCloud("empty", new byte[0]);
        for (int turn = 0; turn < 2; turn++) {
            assertThatThrownBy(() -> head("empty")).isInstanceOf(StoreException.RangeNotSatisfiable.class);
            target.awaitFills();
            assertThat(target.stored(target.cached(), "empty")).isTrue();
        }
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void anyOtherHeadBeginsNothing() {
        target.inCloud("a", SHARD);
        for (ByteRange range : List.of(
                new ByteRange.FromTo(0, 1),
                new ByteRange.FromTo(1, 1),
                new ByteRange.FromTo(0, Long.MAX_VALUE),
                new ByteRange.Last(1))) {
            var answer = target.head(target.cached(), "a", Optional.of(range));
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.header("X-Cache")).isEqualTo("BYPASS");
        }
        assertThat(target.head(target.cached(), "a").header("X-Cache")).isEqualTo("BYPASS");
        assertThat(target.gets()).isZero();
        target.put(target.own(), "b", SHARD);
        var own = target.head(target.own(), "b", FIRST_BYTE);
        assertThat(own.status()).isEqualTo(206);
        assertThat(own.header("X-Cache")).isEmpty();
    }

    @Test
    void missingObjectIsNotFound() {
        assertThatThrownBy(() -> head("none")).isInstanceOf(StoreException.NoSuchKey.class);
        eventually(() -> target.meter("sluice.head.fills.running") == 0);
    }

    @Test
    void headDuringAWriteBeginsNothing() throws Exception {
        target.inCloud("a", SHARD);
        var reached = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("put")) {
                reached.countDown();
                await(goOn);
            }
        });
        var write = clients.submit(() -> target.put(target.cached(), "a", random(2, 1000)));
        await(reached);
        var answer = head("a");
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.header("X-Cache")).isEqualTo("BYPASS");
        goOn.countDown();
        assertThat(write.get().status()).isEqualTo(200);
        assertThat(target.gets()).isZero();
    }

    @Test
    void noMoreFillsBeginThanTheConnectionsAllow() {
        int most = BackendSettings.DEFAULT.maxConnections() / 2 / ParallelFetch.Terms.USUAL.lanes();
        holdBodies();
        for (int i = 0; i <= most; i++) {
            target.inCloud("k" + i, random(i, 1000));
        }
        for (int i = 0; i < most; i++) {
            assertThat(head("k" + i).header("X-Cache")).isEqualTo("MISS");
        }
        var refused = head("k" + most);
        assertThat(refused.status()).isEqualTo(206);
        assertThat(refused.header("X-Cache")).isEqualTo("BYPASS");
        assertThat(refused.header("Content-Range")).isEqualTo("bytes 0-0/1000");
        assertThat(head("k0").header("X-Cache")).isEqualTo("FILL");
        assertThat(target.meter("sluice.head.fills.refused")).isEqualTo(1);
        goOn.countDown();
        target.awaitFills();
        assertThat(target.gets()).isEqualTo(most);
        assertThat(head("k" + most).header("X-Cache")).isEqualTo("MISS");
        target.awaitFills();
        assertThat(head("k" + most).header("X-Cache")).isEqualTo("HIT");
    }

    @Test
    void fillThatBreaksIsBegunAgain() {
        target.inCloud("a", SHARD);
        var broken = new AtomicBoolean();
        target.cloud().body((_, sent) -> {
            if (sent > 1_000_000 && broken.compareAndSet(false, true)) {
                throw new IOException("the connection broke");
            }
        });
        assertThat(head("a").header("X-Cache")).isEqualTo("MISS");
        target.awaitFills();
        assertThat(head("a").header("X-Cache")).isEqualTo("MISS");
        target.awaitFills();
        assertThat(head("a").header("X-Cache")).isEqualTo("HIT");
    }

    @Test
    void driveWithoutRoomBeginsNothing() throws IOException {
        target.close();
        target = new TargetFixture(folder.resolve("full"), Long.MAX_VALUE / 4);
        target.inCloud("a", SHARD);
        var answer = head("a");
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.header("X-Cache")).isEqualTo("BYPASS");
        target.awaitFills();
        assertThat(target.stored(target.cached(), "a")).isFalse();
    }
}
