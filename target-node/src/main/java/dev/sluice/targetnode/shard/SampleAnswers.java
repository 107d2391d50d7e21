package dev.sluice.targetnode.shard;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.samples.Patience;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleFrame;
import dev.sluice.common.samples.SampleStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The samples of a batch, in its order. Some are looked for while the one before is sent.
final class SampleAnswers implements SampleStream {
    /// So many are open at once.
    private static final int AHEAD = 4;

    private final SampleBatch batch;
    private final ShardAnswers answers;
    private final Patience patience;
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private final Map<Integer, CompletableFuture<Response>> refused = new HashMap<>();
    private Optional<ResponseBody> body = Optional.empty();
    private int item;
    private int done;
    private long sequence;

    private record Asked(int shard, int sample, CompletableFuture<Response> answer) {}

    SampleAnswers(SampleBatch batch, ShardAnswers answers, Patience patience) {
        this.batch = batch;
        this.answers = answers;
        this.patience = patience;
    }

    @Override
    public void start() {
        while (asked.size() < AHEAD && item < batch.items().size()) {
            ask();
        }
    }

    @Override
    public SampleFrame next() {
        start();
        var first = asked.peek();
        if (first == null) {
            body = Optional.of(ResponseBody.NONE);
            return SampleFrame.end(sequence);
        }
        if (Await.within(patience.sign(), first.answer.handle((_, _) -> first)).isEmpty()) {
            body = Optional.of(ResponseBody.NONE);
            return answers.isServed(batch.shards().get(first.shard))
                    ? SampleFrame.waiting(sequence, first.shard, first.sample)
                    : SampleFrame.elsewhere(sequence, first.shard, first.sample);
        }
        asked.remove();
        var framed = ShardAnswers.framed(first.answer);
        if (framed.forAll()) {
            refused.put(first.shard, first.answer);
        }
        body = Optional.of(framed.body());
        return new SampleFrame(
                SampleFrame.Kind.SAMPLE,
                framed.status(),
                sequence++,
                first.shard,
                first.sample,
                framed.length(),
                framed.crc32());
    }

    private void ask() {
        var next = batch.items().get(item);
        int sample = next.first() + done;
        var known = refused.get(next.shard());
        var answer = known == null
                ? answers.begin(batch.shards().get(next.shard()), new ShardMember.Samples(sample, 1))
                : known;
        asked.add(new Asked(next.shard(), sample, answer));
        done++;
        if (done == next.count()) {
            item++;
            done = 0;
        }
    }

    @Override
    public void send(long skip, ByteSink to) throws IOException {
        var now = body.orElseThrow();
        body = Optional.empty();
        FramedBody.send(now, skip, to);
    }

    @Override
    public void close() {
        asked.forEach(each -> ShardAnswers.close(each.answer));
        asked.clear();
        if (body.isPresent() && body.get() instanceof ResponseBody.FileRange range) {
            range.file().close();
        }
        body = Optional.empty();
    }
}
