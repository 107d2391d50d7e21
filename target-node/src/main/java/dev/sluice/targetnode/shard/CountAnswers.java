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
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// How many samples each shard of a batch has, as each is known.
final class CountAnswers implements SampleStream {
    /// So many shards are looked at once.
    private static final int AT_ONCE = 8;

    private final SampleBatch batch;
    private final ShardAnswers answers;
    private final Patience patience;
    private final BlockingQueue<Counted> counted = new ArrayBlockingQueue<>(AT_ONCE);
    private ResponseBody body = ResponseBody.NONE;
    private int begun;
    private int told;

    private record Counted(int shard, CompletableFuture<Response> answer) {}

    CountAnswers(SampleBatch batch, ShardAnswers answers, Patience patience) {
        this.batch = batch;
        this.answers = answers;
        this.patience = patience;
    }

    @Override
    public SampleFrame next() {
        while (begun < batch.shards().size() && begun - told < AT_ONCE) {
            begin(begun++);
        }
        body = ResponseBody.NONE;
        if (told == batch.shards().size()) {
            return SampleFrame.end(told);
        }
        var next = Optional.ofNullable(
                Await.interruptible(() -> counted.poll(patience.sign().toNanos(), TimeUnit.NANOSECONDS)));
        if (next.isEmpty()) {
            return SampleFrame.waiting(told, 0, 0);
        }
        var framed = ShardAnswers.framed(next.get().answer);
        body = framed.body();
        return new SampleFrame(
                SampleFrame.Kind.SAMPLE, framed.status(), told++, next.get().shard, 0, framed.length(), framed.crc32());
    }

    private void begin(int shard) {
        var answer = answers.begin(batch.shards().get(shard), new ShardMember.Count());
        var _ = answer.whenComplete((_, _) -> {
            boolean _ = counted.add(new Counted(shard, answer)); // there is room for all that are begun
        });
    }

    @Override
    public void send(long skip, ByteSink to) throws IOException {
        FramedBody.send(body, skip, to);
    }

    /// Answers have no files.
    @Override
    public void close() {}
}
