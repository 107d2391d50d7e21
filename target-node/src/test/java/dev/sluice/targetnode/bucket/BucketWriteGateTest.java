package dev.sluice.targetnode.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// On a target that has not heard yet of what the controller has decided.
class BucketWriteGateTest {
    /// What a node knows that asks the controller, but hears nothing by itself.
    private static final class Behind implements ControlPlane {
        private final Controller controller;
        private ClusterView known;

        Behind(Controller controller) {
            this.controller = controller;
            this.known = controller.view();
        }

        void hear() {
            known = controller.view();
        }

        @Override
        public ClusterView view() {
            return known;
        }

        @Override
        public CompletableFuture<ClusterState> watch(long version) {
            return controller.watch(version);
        }

        @Override
        public ClusterState apply(Command command) {
            return controller.apply(command);
        }

        @Override
        public ClusterState confirm() {
            return controller.confirm();
        }
    }

    @TempDir
    private Path drive;

    private Controller controller;
    private Behind node;
    private BucketWriteGate writes;
    private Bucket bucket;
    private final Set<String> undropped = new HashSet<>();

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(drive.resolve(".sluice"));
        var one = new NodeId("target001");
        var two = new NodeId("target002");
        controller = Controller.open(TestDrives.at(drive), Set.of(one, two), new TreeMap<>());
        for (var target : List.of(one, two)) {
            controller.apply(new Command.Join(new Node(target, Role.TARGET, "http://127.0.0.1:1", "", 1)));
            var registered = new Command.RegisteredDrive("drive of " + target, 1, true);
            controller.apply(new Command.Register(target, "nonce", 0, "boot", List.of(registered)));
        }
        controller.apply(new Command.CreateBucket("shards", 42, BucketProperties.defaults(Optional.empty())));
        bucket = controller.current().buckets().find("shards").orElseThrow();
        node = new Behind(controller);
        writes = new BucketWriteGate(new ClusterViews(node), (_, name) -> !undropped.contains(name));
    }

    @Test
    void nothingIsWrittenToABucketThatIsBeingDeleted() {
        controller.apply(new Command.MarkDeleting("shards"));
        node.hear();
        assertThatThrownBy(() -> writes.requireWritable(bucket)).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> writes.enter(bucket)).isInstanceOf(StoreException.Unavailable.class);
    }

    /// It was not empty.
    @Test
    void aBucketIsWrittenToAgainOnceItsDeletionIsRefused() {
        controller.apply(new Command.MarkDeleting("shards"));
        node.hear();
        controller.apply(new Command.KeepBucket("shards", bucket.id()));
        assertThatCode(() -> writes.enter(bucket).close()).doesNotThrowAnyException();
    }

    /// A write to the cloud may take minutes.
    @Test
    void whoAsksWhetherABucketIsEmptyDoesNotKeepWritesWaitingForALongOne() throws Exception {
        var impatient = new BucketWriteGate(new ClusterViews(node), (_, _) -> true, Duration.ofMillis(20));
        try (var _ = impatient.enter(bucket);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Void> asking = () -> {
                impatient.awaitCommitted(bucket);
                return null;
            };
            assertThatThrownBy(() -> threads.submit(asking).get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("are being committed for longer");
            Callable<Void> dropping = () -> {
                impatient.drop("shards", bucket.id(), () -> {});
                return null;
            };
            assertThatThrownBy(() -> threads.submit(dropping).get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreException.Unavailable.class);
            threads.submit(() -> impatient.enter(bucket).close()).get(20, TimeUnit.SECONDS);
        }
        impatient.awaitCommitted(bucket);
    }

    @Test
    void nothingIsWrittenWhereAnotherBucketOfTheNameIsStillBeingDropped() {
        undropped.add("shards");
        assertThatThrownBy(() -> writes.enter(bucket))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("dropping");
        undropped.clear();
        assertThatCode(() -> writes.enter(bucket).close()).doesNotThrowAnyException();
    }

    private Bucket replicated() {
        var marked = controller.apply(new Command.MarkDeleting("shards"));
        var before = bucket.properties();
        var changed =
                new Command.SetReplication("shards", bucket.id(), marked.version(), before, before.withReplicas(2));
        return controller.apply(changed).buckets().find("shards").orElseThrow();
    }

    /// It would be stored as an object of one replica.
    @Test
    void writeThatBeganBeforeReplicasChangedIsRefusedAfterIt() {
        var now = replicated();
        assertThatCode(() -> writes.enter(now).close()).doesNotThrowAnyException();
        node.hear();
        assertThatCode(() -> writes.enter(now).close()).doesNotThrowAnyException();
        assertThatThrownBy(() -> writes.enter(bucket))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("replicas");
    }

    /// A node that has just begun may know an old state: the name is another bucket's by now, and so is the folder.
    @Test
    void bucketIsNotDroppedOnTheWordOfAnOldState() {
        var marked = controller.apply(new Command.MarkDeleting("shards"));
        long deletion = marked.buckets().find("shards").orElseThrow().deletion();
        controller.apply(new Command.RemoveBucket("shards", bucket.id(), deletion));
        node.hear();
        var dropped = new ArrayList<String>();
        writes.drop("shards", bucket.id(), () -> dropped.add("while it is removed"));
        var drives = controller.current().replication().drives().entries().keySet();
        controller.apply(new Command.DroppedBuckets(
                new TreeSet<>(drives), controller.current().buckets().newestRemoval()));
        controller.apply(new Command.CreateBucket("shards", 43, BucketProperties.defaults(Optional.empty())));
        assertThat(node.view().state().buckets().isRemoved("shards", bucket.id()))
                .as("so it still seems here")
                .isTrue();
        writes.drop("shards", bucket.id(), () -> dropped.add("when another one has its name"));
        assertThat(dropped).containsExactly("while it is removed");
    }

    @Test
    void aBucketIsWrittenToOnceItIsMade() {
        controller.apply(new Command.CreateBucket("new", 43, BucketProperties.defaults(Optional.empty())));
        var made = controller.current().buckets().find("new").orElseThrow();
        assertThatCode(() -> writes.enter(made).close()).doesNotThrowAnyException();
    }
}
