package dev.sluice.targetnode.shard;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.Answer;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.samples.Patience;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.common.store.StoreException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// What this target answers to batches. See [dev.sluice.common.peer.TargetService#samples].
public final class BatchAnswers {
    private final ShardAnswers answers;
    private final Patience patience;

    /// @param objects answers requests on objects; never blocks
    /// @param served whether this target may answer for an object now; never blocks
    public BatchAnswers(ClusterViews views, Function<ObjectCall, Answer> objects, Predicate<ObjectCall> served) {
        this(views, objects, served, Patience.USUAL);
    }

    /// @param patience shorter for tests
    BatchAnswers(
            ClusterViews views, Function<ObjectCall, Answer> objects, Predicate<ObjectCall> served, Patience patience) {
        this.patience = patience;
        this.answers =
                new ShardAnswers(views, objects, served, Thread.ofVirtual().name("batch")::start);
    }

    /// Finds out where the samples of a shard are, if that is not known. Blocks.
    ///
    /// @throws StoreException what a GET of its samples would be refused with
    public void index(Bucket bucket, String key) {
        var shard = new SampleBatch.Shard(bucket.name(), bucket.id(), key, Optional.empty());
        var _ = Await.whole(answers.begin(shard, new ShardMember.Count()));
    }

    public SampleStream of(SampleBatch batch) {
        return batch.items().isEmpty()
                ? new CountAnswers(batch, answers, patience)
                : new SampleAnswers(batch, answers, patience);
    }
}
