package dev.sluice.proxy;

import static dev.sluice.proxy.ListHandlersTest.keys;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.concurrent.Deadline;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.testing.PromiseBroken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A listing of a replicated bucket asks the targets that this node believes to be primaries. It is whole or refused,
/// whoever the primaries are.
class ReplicatedListingTest {
    private static final Duration ONE_TRY = Duration.ZERO;
    private static final Duration MANY_TRIES = Duration.ofMinutes(1);

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);
    private final Bucket bucket =
            cluster.bucket("shards", BucketProperties.defaults(Optional.empty()).withReplicas(2));
    private final Group group =
            cluster.control.confirm().replication().group(bucket.group()).orElseThrow();
    private final TreeSet<String> acknowledged = new TreeSet<>();
    private List<Integer> primaries = List.of();
    private long epoch = 1;

    @AfterEach
    void close() {
        cluster.close();
    }

    /// From now on these targets are the primaries, of slot after slot in turn, and serve what they are the primaries
    /// of. The controllers know it; this node need not.
    private void makePrimaries(Integer... numbers) {
        epoch++;
        primaries = List.of(numbers);
        cluster.control.changeElsewhere(this::withPrimaries);
        for (int number = 1; number <= 3; number++) {
            int target = number;
            cluster.target(target).serves(group.slots(), slot -> primary(slot) == target, epoch);
            cluster.target(target).keys(bucket.id()).clear();
        }
        acknowledged.forEach(this::store);
    }

    private int primary(int slot) {
        return primaries.get(slot % primaries.size());
    }

    private ClusterState withPrimaries(ClusterState before) {
        var each = primaries.stream().map(this::row).toList();
        var rows = new SlotRow[group.slots()];
        for (int slot = 0; slot < rows.length; slot++) {
            rows[slot] = each.get(slot % each.size());
        }
        return new ClusterState(
                before.version() + 1,
                before.clusterId(),
                before.members(),
                before.map(),
                before.buckets(),
                before.credentials(),
                before.replication().withTables(Map.of(bucket.group(), SlotTable.of(rows))),
                before.jobs());
    }

    private SlotRow row(int target) {
        var member = new Member("drive of target%03d".formatted(target), true, 1, epoch);
        return new SlotRow(epoch, List.of(member), epoch, epoch, List.of(), true);
    }

    private void put(int count) {
        for (int i = 0; i < count; i++) {
            var key = "key" + acknowledged.size();
            acknowledged.add(key);
            store(key);
        }
    }

    private void store(String key) {
        cluster.target(primary(group.slotOf(bucket.id(), key)))
                .keys(bucket.id())
                .add(key);
    }

    private List<String> list(Duration patience) {
        var request = new S3Request.ListObjects(
                "shards", true, "", "", "", Optional.empty(), Optional.empty(), 1000, false, false);
        return keys(text(cluster.lists(patience).objects(request, bucket)));
    }

    private void requireWhole(Duration patience) {
        assertThat(list(patience)).containsExactlyElementsOf(acknowledged);
    }

    private void requireRefused() {
        assertThatThrownBy(() -> list(ONE_TRY))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("some slots of the bucket shards have no primary now");
    }

    @Test
    void targetThatIsNoPrimaryIsNotAsked() {
        makePrimaries(1, 2);
        put(30);
        requireWhole(ONE_TRY);
        assertThat(cluster.target(3).listings()).isZero();
        assertThat(cluster.target(1).listings()).isEqualTo(1);
        assertThat(cluster.target(2).listings()).isEqualTo(1);
        assertThat(cluster.lists(ONE_TRY).isEmpty(bucket)).isFalse();
        assertThat(cluster.target(3).listings()).isZero();
    }

    @Test
    void targetThatIsDownIsNotAskedAlsoBeforeItsSlotsHaveAnotherPrimary() {
        makePrimaries(1, 2, 3);
        put(30);
        cluster.down(3);
        cluster.target(3).silence(true);
        requireRefused();
        makePrimaries(1, 2);
        requireWhole(ONE_TRY);
        assertThat(cluster.target(3).listings()).isZero();
    }

    @Test
    void listingWaitsUntilThisNodeKnowsThePrimaryOfEachSlot() {
        makePrimaries(1, 2);
        cluster.control.fallBehind();
        makePrimaries(1, 2, 3);
        put(30);
        requireRefused();
        assertThat(cluster.target(3).listings())
                .as("this node does not know that it is a primary")
                .isZero();
        cluster.target(1).whenListed(cluster.control::confirm);
        requireWhole(MANY_TRIES);
    }

    /// As just after its creation, when a target does not know the bucket yet.
    @Test
    void listingOfUploadsWaitsForTheTargetsThatItNeeds() {
        makePrimaries(1, 2);
        cluster.target(2).silence(true);
        assertThatThrownBy(() -> uploads(ONE_TRY))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("some slots of the bucket shards have no primary now");
        cluster.target(1).whenListed(() -> cluster.target(2).silence(false));
        assertThat(uploads(MANY_TRIES)).contains("ListMultipartUploadsResult");
    }

    private String uploads(Duration patience) {
        var request = new S3Request.ListMultipartUploads("shards", "", "", "", "", 1000, false);
        return text(cluster.lists(patience).uploads(request, bucket));
    }

    /// What it waited for the controllers before counts, too.
    @Test
    void listingIsNotMadeAgainWhenItsRequestHasNoTimeLeft() {
        makePrimaries(1, 2, 3);
        cluster.down(3);
        cluster.target(3).silence(true);
        assertThatThrownBy(
                        () -> Deadline.in(Duration.ofMillis(100)).<List<String>>call(() -> list(Duration.ofMinutes(5))))
                .isInstanceOf(StoreException.Unavailable.class);
    }

    /// Slots move, targets die and return, and this node knows all of it or only what was earlier.
    @Test
    void listingNeverLacksAnAcknowledgedKey() {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        makePrimaries(1, 2, 3);
        cluster.control.fallBehind();
        int whole = 0;
        int down = 0;
        int tries = 60;
        for (int at = 0; at < tries; at++) {
            if (random.nextInt(3) == 0) {
                down = down == 0 ? die(1 + random.nextInt(3)) : revive(down);
            }
            makePrimaries(anyBut(down, random));
            put(3);
            boolean known = random.nextBoolean();
            if (known) {
                cluster.control.confirm();
            }
            boolean answered = isWholeOrRefused("seed %d, step %d".formatted(seed, at));
            assertThat(answered || !known).as("seed %d, step %d", seed, at).isTrue();
            whole += answered ? 1 : 0;
        }
        assertThat(whole).as("seed %d", seed).isBetween(1, tries - 1);
    }

    private int die(int target) {
        cluster.down(target);
        cluster.target(target).silence(true);
        return target;
    }

    private int revive(int target) {
        cluster.up(target);
        cluster.target(target).silence(false);
        return 0;
    }

    private static Integer[] anyBut(int down, Random random) {
        var chosen = new ArrayList<Integer>();
        while (chosen.isEmpty()) {
            for (int target = 1; target <= 3; target++) {
                if (target != down && random.nextBoolean()) {
                    chosen.add(target);
                }
            }
        }
        return chosen.toArray(Integer[]::new);
    }

    private boolean isWholeOrRefused(String when) {
        try {
            var lacking = new TreeSet<>(acknowledged);
            list(ONE_TRY).forEach(lacking::remove);
            if (!lacking.isEmpty()) {
                throw new PromiseBroken("%s: a listing lacks %s".formatted(when, lacking));
            }
            return true;
        } catch (StoreException.Unavailable _) {
            return false;
        }
    }
}
