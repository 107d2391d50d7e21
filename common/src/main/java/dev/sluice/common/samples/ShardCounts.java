package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How many samples each shard of a batch has, from all targets at once, each as soon as it is known. A shard whose
/// target fails is asked of the one that has it by the newest map.
public final class ShardCounts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShardCounts.class);

    private final SampleTargets targets;
    private final SampleBatch batch;
    private final Patience patience;
    private final LinkedBlockingQueue<Told> told = new LinkedBlockingQueue<>(); // one for each shard at most
    private final Set<SampleStream> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /// Of one shard: what a GET of `?samples` says, or why it does not.
    public record Told(int shard, int status, String text) {}

    public ShardCounts(SampleTargets targets, SampleBatch batch, Patience patience) {
        this.targets = targets;
        this.batch = batch;
        this.patience = patience;
        var all = new HashSet<Integer>();
        for (int shard = 0; shard < batch.shards().size(); shard++) {
            all.add(shard);
        }
        ask(all, System.nanoTime());
    }

    /// What is known next. To be called once for each shard.
    ///
    /// @return empty when nothing is known yet, for 5 s
    public Optional<Told> next() {
        return Optional.ofNullable(
                Await.interruptible(() -> told.poll(patience.sign().toNanos(), TimeUnit.NANOSECONDS)));
    }

    /// @param heard when somebody said anything of these
    private void ask(Set<Integer> shards, long heard) {
        var shardsOf = new HashMap<Optional<Node>, List<Integer>>();
        for (int shard : shards) {
            shardsOf.computeIfAbsent(targets.primary(batch.shards().get(shard)), _ -> new ArrayList<>())
                    .add(shard);
        }
        shardsOf.forEach((node, of) -> Thread.ofVirtual().name("counts").start(() -> ask(node, of, heard)));
    }

    private void ask(Optional<Node> node, List<Integer> shards, long heardBefore) {
        var left = new HashSet<>(shards);
        long heard = heardBefore;
        var why = "nobody is known to have it";
        if (node.isPresent()) {
            var asked = new SampleBatch(shards.stream().map(batch.shards()::get).toList(), List.of());
            var moved = new HashSet<Integer>();
            try (var stream = opened(node.get(), asked);
                    Ending _ = () -> open.remove(stream)) {
                var frame = stream.next();
                for (; frame.kind() != SampleFrame.Kind.END && !closed; frame = stream.next()) {
                    var text = text(frame, stream);
                    int shard = shards.get(frame.shard());
                    if (frame.status() == SampleFrame.ELSEWHERE) {
                        moved.add(shard);
                        continue;
                    }
                    if (frame.kind() == SampleFrame.Kind.SAMPLE && left.remove(shard)) {
                        told.add(new Told(shard, frame.status(), text));
                    } else if (!moved.isEmpty()) { // the others take a while
                        left.removeAll(moved);
                        askElsewhere(Set.copyOf(moved), heard);
                        moved.clear();
                    }
                    heard = System.nanoTime();
                }
                why = node.get().id() + " does not serve it";
            } catch (IOException | StoreException failure) {
                why = "%s: %s".formatted(node.get().id(), failure.getMessage());
            } catch (RuntimeException | Error bug) {
                LOG.error("how many samples {} has is not found out", node.get().id(), bug);
                left.forEach(shard -> told.add(new Told(shard, 500, String.valueOf(bug.getMessage()))));
                return;
            }
        }
        askAgain(left, heard, why);
    }

    private interface Ending extends AutoCloseable {
        @Override
        void close();
    }

    private void askElsewhere(Set<Integer> shards, long heard) {
        Thread.ofVirtual().name("counts").start(() -> askAgain(shards, heard, "its target does not serve it"));
    }

    private SampleStream opened(Node node, SampleBatch asked) {
        var stream = targets.samples(node, asked);
        open.add(stream);
        if (closed) {
            stream.close();
        }
        return stream;
    }

    private static String text(SampleFrame frame, SampleStream stream) throws IOException {
        var bytes = new ByteArrayOutputStream();
        stream.send(0, new ByteSink() {
            @Override
            public void write(ByteBuffer more) {
                var copy = new byte[more.remaining()];
                more.get(copy);
                bytes.writeBytes(copy);
            }
        });
        if (bytes.size() != frame.length()) {
            throw new SampleStream.Broken("a frame was cut off", new IOException(frame.toString()));
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private void askAgain(Set<Integer> left, long heard, String why) {
        if (left.isEmpty() || closed) {
            return;
        }
        LOG.debug("{} shards are asked for again: {}", left.size(), why);
        if (System.nanoTime() - heard > patience.silence().toNanos()) {
            left.forEach(shard -> told.add(new Told(shard, 503, why)));
            return;
        }
        Await.pause(patience.pause());
        ask(left, heard);
    }

    /// Ends all that is under way.
    @Override
    public void close() {
        closed = true;
        open.forEach(SampleStream::close);
    }
}
