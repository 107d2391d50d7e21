package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/// Targets in memory with shards of random bytes. They fail as often as a test wants, in every way that a stream can.
final class FakeTargets implements SampleTargets {
    static final List<Node> NODES = IntStream.range(0, 3)
            .mapToObj(i -> new Node(new NodeId("target00" + i), Role.TARGET, "http://127.0.0.1:" + i, "", 1))
            .toList();

    private final Random random;
    private final double faults;
    private final Map<String, byte[][]> shards = new ConcurrentHashMap<>();
    private final Map<String, Node> primaries = new ConcurrentHashMap<>();
    private final Map<String, Integer> statuses = new ConcurrentHashMap<>();
    private final AtomicInteger refusals = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger looks = new AtomicInteger();
    private volatile Optional<Node> hanging = Optional.empty();

    /// @param faults how likely each step of a stream fails
    FakeTargets(long seed, double faults) {
        this.random = new Random(seed);
        this.faults = faults;
    }

    SampleBatch.Shard add(String key, int samples, int largest) {
        var bytes = new byte[samples][];
        for (int i = 0; i < samples; i++) {
            bytes[i] = new byte[random.nextInt(largest + 1)];
            random.nextBytes(bytes[i]);
        }
        shards.put(key, bytes);
        primaries.put(key, NODES.get(random.nextInt(NODES.size())));
        return new SampleBatch.Shard("bucket", key, Optional.empty());
    }

    private byte[][] samples(String key) {
        return Objects.requireNonNull(shards.get(key));
    }

    byte[] sample(SampleBatch.Shard shard, int number) {
        return samples(shard.key())[number];
    }

    /// Nobody serves it from now on.
    void lose(SampleBatch.Shard shard) {
        primaries.remove(shard.key());
    }

    void refuse(SampleBatch.Shard shard, int status) {
        statuses.put(shard.key(), status);
        refusals.set(Integer.MAX_VALUE);
    }

    /// For so many frames.
    void refuse(SampleBatch.Shard shard, int status, int times) {
        refuse(shard, status);
        refusals.set(times);
    }

    /// Its primary says nothing until it is asked for signs of life thrice; then another one has it.
    void hang(SampleBatch.Shard shard) {
        hanging = Optional.ofNullable(primaries.get(shard.key()));
    }

    void change(SampleBatch.Shard shard, int sample, byte[] bytes) {
        samples(shard.key())[sample] = bytes;
    }

    private synchronized boolean fails() {
        boolean fails = random.nextDouble() < faults;
        if (fails && random.nextInt(3) == 0) { // and the map changes
            var keys = List.copyOf(primaries.keySet());
            primaries.replace(keys.get(random.nextInt(keys.size())), NODES.get(random.nextInt(NODES.size())));
        }
        return fails;
    }

    private synchronized int below(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public Optional<Node> primary(SampleBatch.Shard shard) {
        if (hanging.isPresent() && looks.incrementAndGet() > 6) {
            primaries.replaceAll((_, node) -> node.equals(hanging.get()) ? other(node) : node);
        }
        return Optional.ofNullable(primaries.get(shard.key()));
    }

    private static Node other(Node node) {
        return NODES.stream().filter(each -> !each.equals(node)).findFirst().orElseThrow();
    }

    @Override
    public SampleStream samples(Node target, SampleBatch batch) {
        if (fails()) {
            throw new StoreException.Unavailable("does not answer");
        }
        return new Stream(target, batch);
    }

    private final class Stream implements SampleStream {
        private final Node node;
        private final SampleBatch batch;
        private final List<int[]> wanted;
        private final CountDownLatch closed = new CountDownLatch(1);
        private byte[] body = new byte[0];
        private int next;

        Stream(Node node, SampleBatch batch) {
            this.node = node;
            this.batch = batch;
            this.wanted = batch.items().isEmpty()
                    ? IntStream.range(0, batch.shards().size())
                            .mapToObj(shard -> new int[] {shard, -1})
                            .toList()
                    : batch.items().stream()
                            .flatMap(item -> IntStream.range(0, item.count())
                                    .mapToObj(i -> new int[] {item.shard(), item.first() + i}))
                            .toList();
        }

        @Override
        public SampleFrame next() throws IOException {
            body = new byte[0];
            if (next == wanted.size()) {
                return SampleFrame.end(next);
            }
            if (fails()) {
                throw new Broken("between frames", new IOException());
            }
            if (hanging.filter(node::equals).isPresent()) {
                return awaitClose();
            }
            int shard = wanted.get(next)[0];
            int sample = wanted.get(next)[1];
            if (below(10) == 0) {
                return SampleFrame.waiting(next, shard, Math.max(0, sample));
            }
            var key = batch.shards().get(shard).key();
            int status = node.equals(primaries.get(key)) ? statuses.getOrDefault(key, 200) : SampleFrame.ELSEWHERE;
            if (status == 503 && refusals.getAndDecrement() <= 0) {
                status = 200;
            }
            if (status == 200) {
                body = sample < 0
                        ? ("{\"samples\":" + samples(key).length + "}").getBytes(StandardCharsets.UTF_8)
                        : samples(key)[sample];
            }
            var crc = new CRC32();
            crc.update(body);
            return new SampleFrame(
                    SampleFrame.Kind.SAMPLE, status, next++, shard, Math.max(0, sample), body.length, (int)
                            crc.getValue());
        }

        @Override
        public void send(long skip, ByteSink to) throws IOException {
            int at = (int) skip;
            while (at < body.length) {
                if (fails()) {
                    throw new Broken("within a frame", new IOException());
                }
                int length = Math.min(body.length - at, 1 + below(5000));
                to.write(ByteBuffer.wrap(body, at, length));
                at += length;
            }
        }

        @Override
        public boolean isReady() {
            return hanging.isEmpty();
        }

        private SampleFrame awaitClose() throws IOException {
            try {
                closed.await();
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
            throw new Broken("closed", new IOException());
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
