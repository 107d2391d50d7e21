package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BucketLifecycleTest {
    private static final String FORCED = "{\"action\":\"destroy-bck\",\"value\":{\"force\":true}}";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void requireKept() {
        assertThat(cluster.known("shards")).map(Bucket::deleting).contains(false);
    }

    @Test
    void anEmptyBucketGoesEverywhere() {
        var bucket = cluster.bucket("shards");
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("204");
        assertThat(cluster.known("shards")).isEmpty();
        assertThat(cluster.isRemoved(bucket)).isTrue();
        cluster.dropRemoved(1, 2, 3);
        assertThat(outcome(cluster.send("PUT /shards", ""))).isEqualTo("200");
        assertThat(cluster.known("shards"))
                .map(Bucket::id)
                .hasValueSatisfying(id -> assertThat(id).isGreaterThan(bucket.id()));
    }

    @Test
    void aBucketWithAnObjectOnAnyTargetIsKept() {
        var bucket = cluster.bucket("shards");
        for (int holder = 1; holder <= 3; holder++) {
            cluster.target(holder).keys(bucket.id()).add("a");
            assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("409 BucketNotEmpty");
            requireKept();
            cluster.target(holder).keys(bucket.id()).clear();
        }
    }

    @Test
    void aTargetThatDoesNotAnswerKeepsTheBucketEvenByForce() {
        cluster.bucket("shards");
        for (int silent = 1; silent <= 3; silent++) {
            cluster.target(silent).silence(true);
            assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("503 ServiceUnavailable");
            assertThat(cluster.send("DELETE /v1/buckets/shards", FORCED).status())
                    .isEqualTo(503);
            requireKept();
            cluster.target(silent).silence(false);
        }
    }

    @Test
    void writesAreRefusedWhileTheTargetsAreAsked() {
        cluster.bucket("shards");
        var asked = new AtomicBoolean();
        cluster.target(2).whenAskedIfEmpty(() -> {
            asked.set(true);
            assertThat(cluster.known("shards")).map(Bucket::deleting).contains(true);
        });
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("204");
        assertThat(asked).isTrue();
    }

    /// Whoever wrote between the other's giving up and our end would lose what was acknowledged.
    @Test
    void aBucketThatAnotherDeletionKeptIsNotRemoved() {
        var bucket = cluster.bucket("shards");
        cluster.target(3).whenAskedIfEmpty(() -> cluster.control.apply(new Command.KeepBucket("shards", bucket.id())));
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("503 ServiceUnavailable");
        requireKept();
    }

    /// A bucket that stays marked takes no write.
    @Test
    void theEndOfADeletionHasTimeOfItsOwn() {
        cluster.bucket("shards");
        var limits = new ArrayList<Duration>();
        cluster.control.beforeEach(state -> {
            limits.add(Deadline.atMost(Duration.ofDays(1)));
            return state;
        });
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("204");
        assertThat(limits.getFirst()).as("marking it").isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(limits.get(1)).as("removing it").isEqualTo(Duration.ofDays(1));
    }

    @Test
    void aBucketThatMayBeMarkedIsKeptWhenItsReplicasDoNotChange() {
        cluster.bucket("shards");
        var first = new AtomicBoolean(true);
        cluster.control.beforeEach(state -> {
            if (first.getAndSet(false)) {
                cluster.control.changeElsewhere(now -> Planner.next(now, new Command.MarkDeleting("shards")));
                throw new StoreException.Unavailable("the answer was lost");
            }
            return state;
        });
        var body = "{\"action\":\"set-bprops\",\"value\":{\"replicas\":2}}";
        assertThat(cluster.send("PATCH /v1/buckets/shards", body).status()).isEqualTo(503);
        assertThat(first).isFalse();
        requireKept();
    }

    /// By then it is being deleted again, but what the targets were asked was before the writes.
    @Test
    void aBucketThatWasKeptAndIsBeingDeletedAgainIsNotRemovedByTheFirstDeletion() {
        var bucket = cluster.bucket("shards");
        cluster.target(3).whenAskedIfEmpty(() -> {
            cluster.control.apply(new Command.KeepBucket("shards", bucket.id()));
            cluster.target(1).keys(bucket.id()).add("written meanwhile");
            cluster.control.apply(new Command.MarkDeleting("shards"));
        });
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("503 ServiceUnavailable");
        assertThat(cluster.known("shards")).map(Bucket::deleting).contains(true);
    }

    /// Files lie under the bucket's name.
    @Test
    void aCreationWaitsUntilTheTargetsHaveDroppedTheBucketThatHadTheName() throws Exception {
        var old = cluster.bucket("shards");
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("204");
        assertThat(outcome(cluster.send("PUT /others", ""))).isEqualTo("200");
        cluster.dropRemoved(1, 2);
        int before = cluster.control.watched();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var creation = threads.submit(() -> outcome(cluster.send("PUT /shards", "")));
            eventually(() -> cluster.control.watched() > before);
            assertThat(cluster.known("shards")).isEmpty();
            cluster.dropRemoved(3);
            assertThat(creation.get()).isEqualTo("200");
        }
        assertThat(cluster.isRemoved(old)).isFalse();
    }

    /// It drops the bucket before it takes part again.
    @Test
    void aBucketGoesByForceWithoutATargetThatIsDown() {
        cluster.bucket("shards");
        cluster.target(2).silence(true);
        assertThat(cluster.send("DELETE /v1/buckets/shards", FORCED).status()).isEqualTo(503);
        cluster.down(2);
        assertThat(outcome(cluster.send("DELETE /shards", ""))).isEqualTo("503 ServiceUnavailable");
        requireKept();
        assertThat(cluster.send("DELETE /v1/buckets/shards", FORCED).status()).isEqualTo(200);
        cluster.dropRemoved(1, 3);
        assertThat(outcome(cluster.send("PUT /shards", ""))).isEqualTo("200");
    }
}
