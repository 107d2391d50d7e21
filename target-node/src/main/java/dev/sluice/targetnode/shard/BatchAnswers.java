package dev.sluice.targetnode.shard;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.Answer;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.samples.Patience;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import java.util.concurrent.Executor;
import java.util.function.Function;

/// What this target answers to batches. See [dev.sluice.common.peer.TargetService#samples].
public final class BatchAnswers {
    private final ShardAnswers answers;

    /// @param objects answers requests on objects; never blocks
    /// @param threads for what blocks
    public BatchAnswers(ClusterViews views, Function<ObjectCall, Answer> objects, Executor threads) {
        this.answers = new ShardAnswers(views, objects, threads);
    }

    public SampleStream of(SampleBatch batch) {
        return batch.items().isEmpty()
                ? new CountAnswers(batch, answers, Patience.USUAL)
                : new SampleAnswers(batch, answers, Patience.USUAL);
    }
}
