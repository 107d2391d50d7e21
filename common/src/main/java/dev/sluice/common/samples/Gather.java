package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One batch's samples from all targets, in the order in which they were asked for.
///
/// Each target that has some of the shards sends its samples as one stream ([Lane]), in the batch's order; this takes
/// from each stream what is next, so what waits is what the streams' connections hold, and a slow client stops all of
/// them. A stream that fails is replaced by one of the target that has the shards by the newest map, from the first
/// missing sample on. A sample is sent again only as far as it was not sent: its header must be the same.
///
/// For one thread.
public final class Gather {
    private static final Logger LOG = LoggerFactory.getLogger(Gather.class);
    private static final int UNAVAILABLE = 503;

    private final SampleTargets targets;
    private final SampleBatch batch;
    private final Patience patience;
    private final Lane[] lanes;
    private final boolean[] silent;
    private final boolean[] refusing;

    public Gather(SampleTargets targets, SampleBatch batch, Patience patience) {
        this.targets = targets;
        this.batch = batch;
        this.patience = patience;
        this.lanes = new Lane[batch.shards().size()];
        this.silent = new boolean[lanes.length];
        this.refusing = new boolean[lanes.length];
    }

    /// Sends all frames, the end's too.
    ///
    /// @throws IOException when the receiver has gone, or a sample that it has a part of cannot be had whole
    public void sendTo(SampleSink sink) throws IOException {
        try {
            open(new Place(0, 0, 0));
            long sequence = 0;
            for (int i = 0; i < batch.items().size(); i++) {
                for (int done = 0; done < batch.items().get(i).count(); done++) {
                    new Sending(new Place(i, done, sequence++), sink).run();
                }
            }
            sink.frame(SampleFrame.end(sequence));
        } finally {
            Arrays.stream(lanes).filter(Objects::nonNull).distinct().forEach(Lane::close);
        }
    }

    /// Where a batch is: so many samples of this item are done.
    private record Place(int item, int done, long sequence) {}

    // ---- lanes

    /// Opens streams for all shards that have none, as far as it is known who has them.
    private void open(Place from) {
        var shardsOf = new HashMap<Node, List<Integer>>();
        for (int shard = 0; shard < lanes.length; shard++) {
            if (lanes[shard] == null && !silent[shard]) {
                int each = shard;
                targets.primary(batch.shards().get(shard))
                        .ifPresent(node -> shardsOf.computeIfAbsent(node, _ -> new ArrayList<>())
                                .add(each));
            }
        }
        shardsOf.forEach((node, shards) -> open(node, shards, from));
    }

    private void open(Node node, List<Integer> shards, Place from) {
        var places = new HashMap<Integer, Integer>();
        for (int shard : shards) {
            places.put(shard, places.size());
        }
        var items = rest(from, places);
        if (items.isEmpty()) {
            return;
        }
        var asked = new SampleBatch(shards.stream().map(batch.shards()::get).toList(), items);
        var lane = new Lane(node, shards, asked.count(), () -> targets.samples(node, asked));
        shards.forEach(shard -> lanes[shard] = lane);
    }

    private List<SampleBatch.Item> rest(Place from, Map<Integer, Integer> places) {
        var items = new ArrayList<SampleBatch.Item>();
        for (int i = from.item; i < batch.items().size(); i++) {
            var item = batch.items().get(i);
            var place = places.get(item.shard());
            int done = i == from.item ? from.done : 0;
            if (place != null && done < item.count()) {
                items.add(new SampleBatch.Item(place, item.first() + done, item.count() - done));
            }
        }
        return items;
    }

    private void drop(Lane lane) {
        lane.close();
        for (int shard : lane.shards()) {
            if (lanes[shard] == lane) {
                lanes[shard] = null;
            }
        }
    }

    // ---- samples

    /// One sample on its way to the client.
    private final class Sending {
        private final Place place;
        private final SampleSink sink;
        private final int shard;
        private final int sample;
        private Optional<SampleFrame> begun = Optional.empty();
        private long sent;
        private long heard = System.nanoTime();
        private long told = heard;
        private long refused;

        Sending(Place place, SampleSink sink) {
            var item = batch.items().get(place.item);
            this.place = place;
            this.sink = sink;
            this.shard = item.shard();
            this.sample = item.first() + place.done;
        }

        void run() throws IOException {
            if (silent[shard]) {
                fail(UNAVAILABLE, "no target has said anything of this shard for " + patience.silence());
                return;
            }
            var why = "nobody is known to have it";
            while (!isTooSilent()) {
                if (lanes[shard] == null) {
                    open(place);
                }
                var lane = lanes[shard];
                if (lane == null) {
                    pause();
                    continue;
                }
                try {
                    if (take(lane)) {
                        return;
                    }
                    why = lane.node().id() + " does not serve it";
                } catch (SampleStream.Broken failure) {
                    why = "%s: %s".formatted(lane.node().id(), failure.getMessage());
                }
                LOG.debug("{} is asked for again: {}", batch.shards().get(shard), why);
                drop(lane);
                if (targets.primary(batch.shards().get(shard))
                        .filter(lane.node()::equals)
                        .isPresent()) {
                    pause();
                }
            }
            LOG.warn("sample {} of {} is not had: {}", sample, batch.shards().get(shard), why);
            giveUp();
            if (begun.isPresent()) {
                throw new IOException("the rest of a sample does not come: " + why);
            }
            fail(UNAVAILABLE, why);
        }

        /// The shard, and the others of a target that says nothing.
        private void giveUp() {
            silent[shard] = true;
            var node = targets.primary(batch.shards().get(shard));
            for (int each = 0; each < lanes.length; each++) {
                boolean same = node.isPresent()
                        && lanes[each] == null
                        && targets.primary(batch.shards().get(each)).equals(node);
                silent[each] |= same;
            }
        }

        private boolean isTooSilent() {
            return System.nanoTime() - heard > patience.silence().toNanos();
        }

        private void pause() throws IOException {
            Await.pause(patience.pause());
            tell();
        }

        /// The client learns from time to time that somebody is there.
        private void tell() throws IOException {
            if (begun.isEmpty() && System.nanoTime() - told >= patience.sign().toNanos()) {
                sink.frame(SampleFrame.waiting(place.sequence, shard, sample));
                told = System.nanoTime();
            }
        }

        /// @return false when a target is to be asked again, or another one
        private boolean take(Lane lane) throws IOException {
            var come = lane.next(patience.sign());
            while (come.isEmpty() || come.get().kind() == SampleFrame.Kind.WAITING) {
                if (come.isPresent()) {
                    heard = System.nanoTime();
                }
                tell();
                if (isTooSilent() || isElsewhere(lane)) {
                    return false;
                }
                come = lane.next(patience.sign());
            }
            var frame = come.get();
            if (frame.status() == SampleFrame.ELSEWHERE || isToBeAskedAgain(frame)) {
                return false;
            }
            if (frame.kind() != SampleFrame.Kind.SAMPLE
                    || frame.sample() != sample
                    || lane.shards().get(frame.shard()) != shard) {
                throw new SampleStream.Broken(
                        "another frame than that of sample " + sample, new IOException(frame.toString()));
            }
            refusing[shard] = frame.status() == UNAVAILABLE;
            begin(frame.at(place.sequence, shard));
            lane.send(sent, counting);
            lane.sent();
            return true;
        }

        private boolean isElsewhere(Lane lane) {
            return targets.primary(batch.shards().get(shard))
                    .filter(node -> !node.equals(lane.node()))
                    .isPresent();
        }

        /// A target that cannot serve a shard now may in a moment, or another one. Not for each of its samples.
        private boolean isToBeAskedAgain(SampleFrame frame) {
            if (frame.status() != UNAVAILABLE || begun.isPresent() || refusing[shard]) {
                return false;
            }
            long now = System.nanoTime();
            refused = refused == 0 ? now : refused;
            return now - refused < patience.refusal().toNanos();
        }

        private void begin(SampleFrame frame) throws IOException {
            if (begun.isEmpty()) {
                begun = Optional.of(frame);
                sink.frame(frame);
            } else if (!begun.get().equals(frame)) {
                throw new IOException("sample %d of %s is another one than when it began to be sent"
                        .formatted(sample, batch.shards().get(shard)));
            }
        }

        private final ByteSink counting = new ByteSink() {
            @Override
            public void write(ByteBuffer bytes) throws IOException {
                int length = bytes.remaining();
                sink.bytes().write(bytes);
                went(length);
            }

            @Override
            public int write(int most, Content content) throws IOException {
                int length = sink.bytes().write(most, content);
                went(length);
                return length;
            }
        };

        private void went(int length) {
            sent += length;
            heard = System.nanoTime();
        }

        private void fail(int status, String why) throws IOException {
            var text = why.getBytes(StandardCharsets.UTF_8);
            var crc = new CRC32();
            crc.update(text);
            sink.frame(new SampleFrame(
                    SampleFrame.Kind.SAMPLE, status, place.sequence, shard, sample, text.length, (int) crc.getValue()));
            sink.bytes().write(ByteBuffer.wrap(text));
        }
    }
}
