package dev.sluice.common.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.ByteSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whatever fails on the way, a batch is what was asked for, in its order, nothing twice.
@Timeout(180)
class GatherTest {
    private static final Patience PATIENCE =
            new Patience(Duration.ofMillis(5), Duration.ofSeconds(20), Duration.ofMillis(1), Duration.ofSeconds(20));
    private static final Patience SHORT =
            new Patience(Duration.ofMillis(5), Duration.ofMillis(50), Duration.ofMillis(1), Duration.ofMillis(50));

    private record Got(SampleFrame frame, ByteArrayOutputStream bytes) {}

    private static final class Received implements SampleSink {
        private final List<Got> samples = new ArrayList<>();
        private Optional<SampleFrame> end = Optional.empty();
        private int waiting;

        @Override
        public void frame(SampleFrame frame) {
            assertThat(end).isEmpty();
            switch (frame.kind()) {
                case SAMPLE -> samples.add(new Got(frame, new ByteArrayOutputStream()));
                case WAITING -> waiting++;
                case END -> end = Optional.of(frame);
            }
        }

        @Override
        public ByteSink bytes() {
            return bytes -> {
                var copy = new byte[bytes.remaining()];
                bytes.get(copy);
                samples.getLast().bytes.writeBytes(copy);
            };
        }

        byte[] bytes(int number) {
            return samples.get(number).bytes.toByteArray();
        }
    }

    /// Has room for a few bytes at times.
    private static final class Pieces implements ByteSink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Random random = new Random(5);

        @Override
        public void write(ByteBuffer more) {
            var copy = new byte[more.remaining()];
            more.get(copy);
            bytes.writeBytes(copy);
        }

        @Override
        public int write(int most, Content content) throws IOException {
            int room = random.nextInt(3) > 0 ? most : 1 + random.nextInt(Math.min(most, 40));
            var into = ByteBuffer.allocate(room);
            content.read(into);
            write(into.flip());
            return into.limit();
        }
    }

    /// By way of bytes that go out in pieces of any size.
    private static Received gather(FakeTargets targets, SampleBatch batch, Patience patience) throws IOException {
        var out = new Pieces();
        new Gather(targets, batch, patience).sendTo(new FramedSink(out));
        var received = new Received();
        var bytes = ByteBuffer.wrap(out.bytes.toByteArray());
        while (bytes.hasRemaining()) {
            var frame = SampleFrame.decode(bytes);
            received.frame(frame);
            if (frame.length() > 0) {
                received.bytes().write(bytes.slice(bytes.position(), (int) frame.length()));
                bytes.position(bytes.position() + (int) frame.length());
            }
        }
        assertThat(received.end).contains(SampleFrame.end(batch.count()));
        assertThat(received.samples).hasSize((int) batch.count());
        return received;
    }

    private static void requireAll(FakeTargets targets, SampleBatch batch, Received received) {
        int number = 0;
        for (var item : batch.items()) {
            for (int i = 0; i < item.count(); i++) {
                var frame = received.samples.get(number).frame;
                assertThat(frame.status()).isEqualTo(200);
                assertThat(frame.sequence()).isEqualTo(number);
                assertThat(frame.shard()).isEqualTo(item.shard());
                assertThat(frame.sample()).isEqualTo(item.first() + i);
                assertThat(received.bytes(number))
                        .isEqualTo(targets.sample(batch.shards().get(item.shard()), item.first() + i))
                        .hasSize((int) frame.length());
                number++;
            }
        }
    }

    @Test
    void aBatchIsInItsOrderWhateverFails() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            var targets = new FakeTargets(seed, random.nextInt(4) * 0.02);
            var shards = IntStream.range(0, 1 + random.nextInt(12))
                    .mapToObj(i -> targets.add("shard" + i, 1 + random.nextInt(30), 20_000))
                    .toList();
            var items = new ArrayList<SampleBatch.Item>();
            for (int i = random.nextInt(60); i >= 0; i--) {
                int shard = random.nextInt(shards.size());
                int samples = samples(targets, shards.get(shard));
                int first = random.nextInt(samples);
                items.add(new SampleBatch.Item(shard, first, 1 + random.nextInt(samples - first)));
            }
            var batch = new SampleBatch(shards, items);
            requireAll(targets, batch, gather(targets, batch, PATIENCE));
        }
    }

    private static int samples(FakeTargets targets, SampleBatch.Shard shard) {
        int count = 0;
        try {
            while (true) {
                var _ = targets.sample(shard, count);
                count++;
            }
        } catch (ArrayIndexOutOfBoundsException _) {
            return count;
        }
    }

    @Test
    void aShardThatNobodyServesDoesNotStopTheOthers() throws IOException {
        var targets = new FakeTargets(1, 0);
        var lost = targets.add("lost", 3, 100);
        var there = targets.add("there", 3, 100);
        targets.lose(lost);
        var batch = new SampleBatch(
                List.of(lost, there),
                List.of(new SampleBatch.Item(1, 0, 1), new SampleBatch.Item(0, 0, 3), new SampleBatch.Item(1, 1, 2)));
        var received = gather(targets, batch, SHORT);
        assertThat(received.samples.stream().map(got -> got.frame.status()))
                .containsExactly(200, 503, 503, 503, 200, 200);
        assertThat(received.bytes(5)).isEqualTo(targets.sample(there, 2));
        assertThat(received.waiting).as("signs for the client").isPositive();
    }

    /// Not for each of its samples.
    @Test
    void aShardThatIsRefusedForAMomentIsAskedForAgain() throws IOException {
        var targets = new FakeTargets(1, 0);
        var shard = targets.add("shard", 5, 100);
        targets.refuse(shard, 503, 3);
        var batch = new SampleBatch(List.of(shard), List.of(new SampleBatch.Item(0, 0, 5)));
        requireAll(targets, batch, gather(targets, batch, PATIENCE));
        targets.refuse(shard, 503);
        long begun = System.nanoTime();
        assertThat(gather(targets, batch, SHORT).samples.stream().map(got -> got.frame.status()))
                .containsExactly(503, 503, 503, 503, 503);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    /// A target that says nothing at all, with its connection open.
    @Test
    void aTargetThatSaysNothingIsReplacedWhenTheMapSaysSo() throws IOException {
        var targets = new FakeTargets(1, 0);
        var shard = targets.add("shard", 5, 100);
        targets.hang(shard);
        var batch = new SampleBatch(List.of(shard), List.of(new SampleBatch.Item(0, 0, 5)));
        var received = gather(targets, batch, PATIENCE);
        requireAll(targets, batch, received);
        assertThat(received.waiting).isPositive();
    }

    @Test
    void whatIsWrongWithAShardIsInItsFrames() throws IOException {
        var targets = new FakeTargets(1, 0);
        var changed = targets.add("changed", 3, 100);
        var there = targets.add("there", 3, 100);
        targets.refuse(changed, 412);
        var batch = new SampleBatch(
                List.of(changed, there), List.of(new SampleBatch.Item(0, 0, 2), new SampleBatch.Item(1, 0, 1)));
        assertThat(gather(targets, batch, PATIENCE).samples.stream().map(got -> got.frame.status()))
                .containsExactly(412, 412, 200);
    }

    /// What went out cannot be taken back.
    @Test
    void aSampleThatIsAnotherOneInTheMiddleEndsTheConnection() {
        for (int seed = 0; seed < 20; seed++) {
            var targets = new FakeTargets(seed, 0);
            var shard = targets.add("shard", 1, 50_000);
            var other = new byte[60_000];
            var broken = new SampleTargets() {
                private boolean first = true;

                @Override
                public Optional<Node> primary(SampleBatch.Shard of) {
                    return targets.primary(of);
                }

                @Override
                public SampleStream samples(Node target, SampleBatch batch) {
                    var stream = targets.samples(target, batch);
                    boolean cut = first;
                    first = false;
                    return new SampleStream() {
                        @Override
                        public SampleFrame next() throws IOException {
                            return stream.next();
                        }

                        @Override
                        public void send(long skip, ByteSink to) throws IOException {
                            if (cut) {
                                targets.change(shard, 0, other);
                                throw new Broken("cut", new IOException());
                            }
                            stream.send(skip, to);
                        }

                        @Override
                        public void close() {}
                    };
                }
            };
            var batch = new SampleBatch(List.of(shard), List.of(new SampleBatch.Item(0, 0, 1)));
            assertThatThrownBy(() -> new Gather(broken, batch, PATIENCE).sendTo(new Received()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another one");
        }
    }

    @Test
    void allCountsAreToldOnce() {
        for (int seed = 0; seed < 100; seed++) {
            var targets = new FakeTargets(seed, 0.03);
            var shards = IntStream.range(0, 20)
                    .mapToObj(i -> targets.add("shard" + i, 1 + i, 10))
                    .toList();
            targets.refuse(shards.get(3), 422);
            try (var counts = new ShardCounts(targets, new SampleBatch(shards, List.of()), PATIENCE)) {
                var told = new TreeMap<Integer, ShardCounts.Told>();
                while (told.size() < 20) {
                    counts.next()
                            .ifPresent(each ->
                                    assertThat(told.put(each.shard(), each)).isNull());
                }
                told.forEach((shard, each) -> {
                    assertThat(each.status()).isEqualTo(shard == 3 ? 422 : 200);
                    assertThat(each.text()).isEqualTo(shard == 3 ? "" : "{\"samples\":" + (shard + 1) + "}");
                });
            }
        }
    }
}
