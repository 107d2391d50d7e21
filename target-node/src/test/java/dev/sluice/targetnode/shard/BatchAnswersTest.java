package dev.sluice.targetnode.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.samples.Patience;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleFrame;
import dev.sluice.targetnode.coldfill.GatedCloud;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.testing.SampleTar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// One target's part of a batch: what is wrong with one shard is in its frames, and the others are whole.
@Timeout(60)
class BatchAnswersTest {
    private static final SampleTar SHARD = SampleTar.of(40, 90_000, 1);
    private static final SampleTar LARGE = SampleTar.of(3, 5_000_000, 2);
    private static final Patience PATIENCE =
            new Patience(Duration.ofMillis(20), Duration.ofSeconds(10), Duration.ofMillis(1), Duration.ZERO);

    @TempDir
    private Path folder;

    private final GatedCloud cloud = new GatedCloud();
    private TargetFixture target;

    @BeforeEach
    void start() throws IOException {
        target = new TargetFixture(folder, cloud);
    }

    @AfterEach
    void stop() {
        target.close();
    }

    private record Got(SampleFrame frame, ByteArrayOutputStream bytes) {
        /// Without its bytes: a failure's message would have megabytes.
        @Override
        public String toString() {
            return frame.toString();
        }
    }

    private BatchAnswers answers() {
        return new BatchAnswers(new ClusterViews(target.control()), target.handlers()::object, _ -> true, PATIENCE);
    }

    private List<Got> ask(SampleBatch batch) throws IOException {
        var got = new ArrayList<Got>();
        try (var stream = answers().of(batch)) {
            do {
                var frame = stream.next();
                var bytes = new ByteArrayOutputStream();
                stream.send(0, piece -> {
                    var copy = new byte[piece.remaining()];
                    piece.get(copy);
                    bytes.writeBytes(copy);
                });
                if (frame.kind() != SampleFrame.Kind.WAITING) { // on a busy machine
                    got.add(new Got(frame, bytes));
                }
            } while (got.isEmpty() || got.getLast().frame.kind() != SampleFrame.Kind.END);
        }
        return got;
    }

    private static SampleBatch.Shard shard(Bucket bucket, String key) {
        return new SampleBatch.Shard(bucket.name(), bucket.id(), key, Optional.empty());
    }

    private static void require(Got got, SampleTar tar, int sample) {
        assertThat(got.frame.status())
                .as(got.bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo(200);
        assertThat(got.frame.sample()).isEqualTo(sample);
        assertThat(got.frame.crc32()).isEqualTo(tar.crc32(sample));
        assertThat(Arrays.equals(got.bytes.toByteArray(), tar.samples().get(sample)))
                .as("%s", got)
                .isTrue();
    }

    @Test
    void samplesComeInTheBatchsOrder() throws IOException {
        target.put(target.own(), "a.tar", SHARD.bytes());
        target.put(target.own(), "large.tar", LARGE.bytes());
        var batch = new SampleBatch(
                List.of(shard(target.own(), "large.tar"), shard(target.own(), "a.tar")),
                List.of(
                        new SampleBatch.Item(1, 30, 3),
                        new SampleBatch.Item(0, 2, 1),
                        new SampleBatch.Item(1, 0, 1),
                        new SampleBatch.Item(0, 0, 2),
                        new SampleBatch.Item(1, 0, 1)));
        var got = ask(batch);
        assertThat(got).hasSize(9);
        require(got.get(0), SHARD, 30);
        require(got.get(2), SHARD, 32);
        require(got.get(3), LARGE, 2);
        require(got.get(4), SHARD, 0);
        require(got.get(6), LARGE, 1);
        require(got.get(7), SHARD, 0);
        assertThat(got.get(8).frame).isEqualTo(SampleFrame.end(8));
    }

    @Test
    void whatIsWrongIsInTheFrame() throws IOException {
        target.put(target.own(), "a.tar", SHARD.bytes());
        target.put(target.own(), "no.tar", "no tar".getBytes(StandardCharsets.UTF_8));
        var batch = new SampleBatch(
                List.of(
                        shard(target.own(), "a.tar"),
                        shard(target.own(), "missing.tar"),
                        shard(target.own(), "no.tar"),
                        new SampleBatch.Shard("own", target.own().id(), "a.tar", Optional.of("0123")),
                        new SampleBatch.Shard("own", 77, "a.tar", Optional.empty())),
                IntStream.of(1, 0, 2, 0, 3, 4)
                        .mapToObj(shard -> new SampleBatch.Item(shard, 5, 1))
                        .toList());
        var got = ask(batch);
        assertThat(got.stream().map(each -> each.frame.status())).containsExactly(404, 200, 422, 200, 412, 404, 200);
        assertThat(got.getFirst().bytes.toString(StandardCharsets.UTF_8)).contains("missing.tar");
        var outside = new SampleBatch(List.of(shard(target.own(), "a.tar")), List.of(new SampleBatch.Item(0, 39, 2)));
        assertThat(ask(outside).stream().map(each -> each.frame.status())).containsExactly(200, 404, 200);
    }

    @Test
    void anOverwrittenShardIsAnotherOne() throws IOException {
        target.put(target.own(), "a.tar", SHARD.bytes());
        var etag = target.head(target.own(), "a.tar").header("ETag").replace("\"", "");
        var batch = new SampleBatch(
                List.of(new SampleBatch.Shard("own", target.own().id(), "a.tar", Optional.of(etag))),
                List.of(new SampleBatch.Item(0, 1, 2)));
        require(ask(batch).getFirst(), SHARD, 1);
        target.put(target.own(), "a.tar", SampleTar.of(40, 90_000, 3).bytes());
        var got = ask(batch);
        assertThat(got.stream().map(each -> each.frame.status())).containsExactly(412, 412, 200);
        assertThat(got.getFirst().bytes.size()).isLessThan(200);
    }

    /// Its index was made when it was whole.
    @Test
    void aSampleThatIsDamagedIsNotSent() throws IOException {
        target.put(target.own(), "a.tar", SHARD.bytes());
        var batch = new SampleBatch(List.of(shard(target.own(), "a.tar")), List.of(new SampleBatch.Item(0, 0, 40)));
        assertThat(ask(batch)).hasSize(41);
        var file = target.drive().resolve("objects/own/a.tar");
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 3000] ^= 1;
        target.close();
        Files.write(file, bytes);
        start();
        var got = ask(batch);
        assertThat(got).hasSize(41);
        require(got.getFirst(), SHARD, 0);
        assertThat(got.get(39).frame.status()).isEqualTo(500);
    }

    @Test
    void somebodyWhoWaitsForAColdShardIsTold() throws Exception {
        target.inCloud("a.tar", SHARD.bytes());
        var open = new CountDownLatch(1);
        cloud.before((operation, _) -> {
            if (operation.equals("get")) {
                await(open);
            }
        });
        var batch = new SampleBatch(List.of(shard(target.cached(), "a.tar")), List.of(new SampleBatch.Item(0, 7, 2)));
        for (var asked : List.of(batch, new SampleBatch(batch.shards(), List.of()))) {
            try (var stream = answers().of(asked)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(stream.next().kind()).isEqualTo(SampleFrame.Kind.WAITING);
                }
            }
        }
        open.countDown();
        var got = ask(batch);
        require(got.get(0), SHARD, 7);
        require(got.get(1), SHARD, 8);
        assertThat(target.gets()).isEqualTo(1);
        var counted = ask(new SampleBatch(batch.shards(), List.of()));
        assertThat(counted.getFirst().bytes.toString(StandardCharsets.UTF_8)).startsWith("{\"samples\":40,");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /// Each open file is closed, whatever the reader has taken.
    @Test
    void aStreamThatIsLeftClosesItsFiles() throws IOException {
        target.put(target.own(), "a.tar", SHARD.bytes());
        var batch = new SampleBatch(List.of(shard(target.own(), "a.tar")), List.of(new SampleBatch.Item(0, 0, 40)));
        for (int taken = 0; taken < 10; taken++) {
            try (var stream = answers().of(batch)) {
                for (int i = 0; i < taken; i++) {
                    assertThat(stream.next().status()).isEqualTo(200);
                    if (i + 1 < taken) {
                        stream.send(0, piece -> piece.position(piece.limit()));
                    }
                }
            }
        }
        target.delete(target.own(), "a.tar");
        target.requireNothingLeft();
    }
}
