package dev.sluice.targetnode.bucket;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a target does about buckets that are gone. It has a real drive, and the table is a controller's.
@Timeout(60)
class RemovedBucketsTest {
    private static final NodeId ONE = new NodeId("target001");
    private static final NodeId OTHER = new NodeId("target002");

    @TempDir
    private Path folder;

    private TargetFixture target;
    private Controller controller;
    private BucketWriteGate writes;
    private RemovedBuckets removed;

    @BeforeEach
    void open() throws Exception {
        target = new TargetFixture(folder.resolve("target"));
        var kept = folder.resolve("control");
        Files.createDirectories(kept.resolve(".sluice"));
        controller = Controller.open(TestDrives.at(kept), Set.of(ONE, OTHER), new TreeMap<>());
        for (var node : List.of(ONE, OTHER)) {
            controller.apply(new Command.Join(new Node(node, Role.TARGET, "http://127.0.0.1:1", "", 1)));
        }
        begin();
        eventually(target.store()::ready);
        register(0);
    }

    /// A process knows nothing of what those before it have dropped.
    private void begin() {
        var dropped = new DroppedBuckets(target.store());
        writes = new BucketWriteGate(new ClusterViews(controller), dropped::isFree);
        removed = new RemovedBuckets(controller, target.store(), writes, dropped);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private DriveSlot slot() {
        return target.store().drives().slots().getFirst();
    }

    private ClusterState register(long dropped) {
        var drive = new Command.RegisteredDrive(slot().id(), 1, true, false, dropped);
        int before = controller.current().replication().incarnation(ONE);
        return controller.apply(new Command.Register(ONE, "nonce " + before, before, "boot", List.of(drive)));
    }

    private Bucket create(String name) {
        return controller
                .apply(new Command.CreateBucket(name, 42, BucketProperties.defaults(Optional.empty())))
                .buckets()
                .find(name)
                .orElseThrow();
    }

    private void remove(Bucket bucket) {
        var marked = controller.apply(new Command.MarkDeleting(bucket.name()));
        long deletion = marked.buckets().find(bucket.name()).orElseThrow().deletion();
        controller.apply(new Command.RemoveBucket(bucket.name(), bucket.id(), deletion));
    }

    private void put(Bucket bucket) {
        var bytes = ByteBuffer.wrap("bytes".getBytes(StandardCharsets.UTF_8));
        var ref = new BucketRef(bucket.id(), bucket.name());
        try (var upload = target.store().begin(ref, "key", bytes.remaining(), Durability.FSYNC)) {
            upload.write(bytes);
            upload.commit(CommitTerms.of("etag"));
        }
    }

    private boolean has(Bucket bucket) {
        return !target.store().isEmpty(bucket.id());
    }

    private boolean isPending(Bucket bucket) {
        return controller.current().buckets().isRemoved(bucket.name(), bucket.id());
    }

    private void targetIsDown() {
        long version =
                controller.current().replication().target(ONE).orElseThrow().version();
        controller.apply(new Command.Down(ONE, version, new TreeMap<>()));
    }

    @Test
    void itDropsWhatTheStateNamesAndNothingElseAndSaysSo() {
        var gone = create("gone");
        var marked = create("marked");
        var stays = create("stays");
        List.of(gone, marked, stays).forEach(this::put);
        controller.apply(new Command.MarkDeleting("marked"));
        remove(gone);
        assertThatThrownBy(() -> create("gone"))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("not every target that is up has dropped it");
        removed.step();
        assertThat(has(gone)).isFalse();
        assertThat(has(marked)).isTrue();
        assertThat(has(stays)).isTrue();
        assertThat(isPending(gone)).isFalse();
        assertThat(create("gone").id()).isGreaterThan(gone.id());
    }

    @Test
    void whatAnotherProcessHasDroppedIsNotDroppedAgain() {
        var old = create("shards");
        put(old);
        remove(old);
        controller.apply(new Command.Register(
                OTHER, "nonce", 0, "boot", List.of(new Command.RegisteredDrive("other", 1, true, false, 100))));
        removed.step();
        assertThat(isPending(old)).isFalse();
        begin();
        var next = create("shards");
        put(next);
        removed.step();
        assertThat(has(next)).isTrue();
    }

    /// The name is another bucket's by then.
    @Test
    void aTargetThatWasAwayDropsBeforeItIsRegisteredAndTakesNoWriteBefore() {
        var old = create("shards");
        put(old);
        targetIsDown();
        remove(old);
        var next = create("shards");
        begin();
        assertThat(isPending(old)).isTrue();
        assertThatThrownBy(() -> register(0))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("a new bucket has the name of a later one");
        assertThatThrownBy(() -> writes.enter(next))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("dropping a deleted bucket that had the name shards too");

        long upTo = removed.dropOn(slot().id(), slot().writable().orElseThrow());
        assertThat(has(old)).isFalse();
        assertThatCode(() -> writes.enter(next).close()).doesNotThrowAnyException();
        register(upTo);
        assertThat(isPending(old)).isFalse();
    }

    /// So a target comes back while buckets are deleted all the time.
    @Test
    void aTargetThatIsBehindIsRegisteredWhileNoOtherBucketHasTheName() {
        var old = create("shards");
        put(old);
        targetIsDown();
        remove(old);
        register(0);
        assertThat(isPending(old)).isTrue();
        assertThatThrownBy(() -> create("shards")).isInstanceOf(StoreException.Unavailable.class);
        removed.step();
        assertThat(has(old)).isFalse();
        create("shards");
    }

    /// It was only cut off from the controllers for a while, and did not register again.
    @Test
    void aTargetThatIsCalledUpAgainDropsTooAndSaysSo() {
        var old = create("shards");
        put(old);
        targetIsDown();
        remove(old);
        controller.apply(new Command.Up(ONE, controller.current().replication().incarnation(ONE)));
        assertThatThrownBy(() -> create("shards")).isInstanceOf(StoreException.Unavailable.class);
        removed.step();
        assertThat(has(old)).isFalse();
        create("shards");
        assertThat(isPending(old)).isFalse();
    }

    @Test
    void aRemovedBucketIsKnownUntilTheLastDriveHasDroppedIt() {
        controller.apply(new Command.Register(
                OTHER, "nonce", 0, "boot", List.of(new Command.RegisteredDrive("other", 1, true))));
        controller.apply(new Command.DriveOut(
                OTHER,
                new TreeMap<>(Map.of("other", controller.current().replication().incarnation(OTHER)))));
        var first = create("shards");
        remove(first);
        removed.step();
        var second = create("shards");
        remove(second);
        removed.step();
        assertThat(isPending(first)).as("the drive that is out").isTrue();
        create("shards");
        long number = controller.current().buckets().newestRemoval();
        controller.apply(new Command.DroppedBuckets(new TreeSet<>(Set.of("other")), number - 1));
        assertThat(isPending(first)).isFalse();
        assertThat(isPending(second)).isTrue();
        controller.apply(new Command.DroppedBuckets(new TreeSet<>(Set.of("other")), number));
        assertThat(controller.current().buckets().removed()).isEmpty();
        assertThat(controller.current().buckets().behind()).isEmpty();
    }

    /// The files of both lie in the folder of the name.
    @Test
    void aLateCallForAnOldBucketLeavesTheNewOneOfThatNameAlone() {
        var dropped = new ArrayList<String>();
        var old = create("shards");
        writes.drop("shards", old.id(), () -> dropped.add("while it is there"));
        remove(old);
        writes.drop("shards", old.id(), () -> dropped.add("when it is removed"));
        removed.step();
        create("shards");
        writes.drop("shards", old.id(), () -> dropped.add("too late"));
        assertThat(dropped).containsExactly("when it is removed");
    }
}
