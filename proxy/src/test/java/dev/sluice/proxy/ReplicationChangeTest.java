package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Only an empty bucket changes how its objects are replicated.
class ReplicationChangeTest {
    private static final Optional<String> POLICY = Optional.of("{\"Statement\":[]}");

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private BucketProperties now() {
        var bucket = cluster.known("shards").orElseThrow();
        assertThat(bucket.deleting()).isFalse();
        return bucket.properties();
    }

    private void change(Bucket bucket, int replicas) {
        cluster.life.change(bucket, before -> before.withReplicas(replicas));
    }

    private static BucketProperties with(BucketProperties before, Durability durability) {
        return new BucketProperties(
                before.backend(),
                durability,
                before.documents(),
                before.route(),
                before.localCopies(),
                before.replicas(),
                before.minInSync(),
                before.quota(),
                before.cache());
    }

    @Test
    void replicasOfAnEmptyBucketChangeAndTheBucketStays() {
        var bucket = cluster.bucket("shards");
        var asked = new AtomicInteger();
        cluster.targets
                .values()
                .forEach(target -> target.whenAskedIfEmpty(() -> {
                    asked.incrementAndGet();
                    assertThat(cluster.known("shards")).map(Bucket::deleting).contains(true);
                }));
        change(bucket, 2);
        assertThat(now()).isEqualTo(bucket.properties().withReplicas(2));
        assertThat(cluster.known("shards")).map(Bucket::id).contains(bucket.id());
        assertThat(asked).hasValue(3);
        change(bucket, 3);
        assertThat(now().replicas()).isEqualTo(3);
        assertThat(cluster.isRemoved(bucket)).isFalse();
    }

    @Test
    void replicasOfABucketWithAnObjectOnAnyTargetStay() {
        var bucket = cluster.bucket("shards");
        for (int holder = 1; holder <= 3; holder++) {
            cluster.target(holder).keys(bucket.id()).add("a");
            assertThatThrownBy(() -> change(bucket, 2))
                    .isInstanceOf(S3Failure.class)
                    .hasMessageContaining("NotImplemented")
                    .hasMessageContaining("shards is not empty");
            assertThat(now()).isEqualTo(bucket.properties());
            cluster.target(holder).keys(bucket.id()).clear();
        }
    }

    /// The state says so after the bucket was marked.
    @Test
    void bucketIsWrittenToAgainAfterItsChangeWasRefused() {
        var bucket = cluster.bucket("shards");
        assertThatThrownBy(() -> change(bucket, 4)).hasMessageContaining("needs 4 targets");
        assertThat(now()).isEqualTo(bucket.properties());
        change(bucket, 2);
        assertThatThrownBy(() -> change(bucket, 1)).hasMessageContaining("cannot become one without");
        assertThat(now().replicas()).isEqualTo(2);
    }

    @Test
    void replicasStayWhileATargetDoesNotAnswer() {
        var bucket = cluster.bucket("shards");
        cluster.target(3).silence(true);
        assertThatThrownBy(() -> change(bucket, 2)).isInstanceOf(StoreException.Unavailable.class);
        assertThat(now()).isEqualTo(bucket.properties());
    }

    @Test
    void durabilityOfAReplicatedBucketWithObjectsStaysButThatOfOthersChanges() {
        for (int replicas = 1; replicas <= 2; replicas++) {
            var name = replicas == 1 ? "one" : "shards";
            var bucket = cluster.bucket(
                    name, BucketProperties.defaults(Optional.empty()).withReplicas(replicas));
            cluster.target(2).keys(bucket.id()).add("a");
        }
        cluster.life.change(cluster.known("one").orElseThrow(), before -> with(before, Durability.OS));
        assertThat(cluster.known("one").orElseThrow().properties().durability()).isEqualTo(Durability.OS);
        var replicated = cluster.known("shards").orElseThrow();
        assertThatThrownBy(() -> cluster.life.change(replicated, before -> with(before, Durability.OS)))
                .hasMessageContaining("not empty");
        cluster.life.change(replicated, before -> before.with(BucketDocument.POLICY, POLICY));
        assertThat(now()).isEqualTo(replicated.properties().with(BucketDocument.POLICY, POLICY));
    }

    /// The first answer is of a time before the write.
    @Test
    void writeBetweenAnotherDeletionsEndAndTheChangeIsSeen() {
        var bucket = cluster.bucket("shards");
        var first = new AtomicInteger();
        cluster.target(3).whenAskedIfEmpty(() -> {
            if (first.getAndIncrement() == 0) {
                cluster.control.apply(new Command.KeepBucket("shards", bucket.id()));
                cluster.target(1).keys(bucket.id()).add("written meanwhile");
                cluster.control.apply(new Command.MarkDeleting("shards"));
            }
        });
        assertThatThrownBy(() -> change(bucket, 2)).hasMessageContaining("not empty");
        assertThat(now()).isEqualTo(bucket.properties());
    }

    @Test
    void otherPropertiesThatAreChangedMeanwhileStayChanged() {
        var bucket = cluster.bucket("shards");
        var properties = bucket.properties();
        var limited = properties.with(BucketDocument.POLICY, POLICY);
        cluster.target(3)
                .whenAskedIfEmpty(() -> cluster.control.apply(
                        new Command.SetBucketProperties("shards", bucket.id(), properties, limited)));
        change(bucket, 2);
        assertThat(now()).isEqualTo(limited.withReplicas(2));
    }

    @Test
    void stateRefusesToChangeReplicasWithoutTheQuestion() {
        var bucket = cluster.bucket("shards");
        var before = bucket.properties();
        var after = before.withReplicas(2);
        cluster.control.apply(new Command.SetBucketProperties("shards", bucket.id(), before, after));
        cluster.control.apply(new Command.SetReplication("shards", bucket.id(), 0, before, after));
        assertThat(now()).isEqualTo(before);
    }
}
