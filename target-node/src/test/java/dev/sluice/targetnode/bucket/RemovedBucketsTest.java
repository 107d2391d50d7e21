package dev.sluice.targetnode.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a target does about buckets that were deleted while it was away. The table is a controller's.
class RemovedBucketsTest {
    private static final NodeId ONE = new NodeId("target001");

    @TempDir
    private Path drive;

    private Controller controller;
    private final List<String> dropped = new ArrayList<>();
    private boolean ready = true;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectories(drive.resolve(".sluice"));
        controller = Controller.open(TestDrives.at(drive), Set.of(ONE), new TreeMap<>());
    }

    @Test
    void itDropsWhatTheStateNamesOnceAndNothingElse() {
        var removed = new RemovedBuckets(controller, this::drop);
        removed.drop();
        assertThat(dropped).as("no state is known yet").isEmpty();
        join();
        long gone = create("gone");
        create("stays");
        controller.apply(new Command.MarkDeleting("stays"));
        remove("gone", gone);
        ready = false;
        removed.drop();
        assertThat(dropped).isEmpty();
        ready = true;
        removed.drop();
        removed.drop();
        assertThat(dropped).containsExactly("gone " + gone);
    }

    @Test
    void aRemovedBucketIsStillKnownAfterARestartOfTheController() throws IOException {
        join();
        remove("gone", create("gone"));
        open();
        new RemovedBuckets(controller, this::drop).drop();
        assertThat(dropped).hasSize(1);
    }

    /// The files of both lie in the folder of the name.
    @Test
    void aLateCallForAnOldBucketLeavesTheNewOneOfThatNameAlone() {
        join();
        var writes = new BucketWriteGate(new ClusterViews(controller));
        long old = create("shards");
        writes.drop("shards", old, () -> dropped.add("while it is there"));
        remove("shards", old);
        writes.drop("shards", old, () -> dropped.add("when it is removed"));
        controller.apply(new Command.ForgetBucket("shards", old));
        create("shards");
        writes.drop("shards", old, () -> dropped.add("too late"));
        assertThat(dropped).containsExactly("when it is removed");
    }

    private void drop(long bucketId, String name) {
        if (!ready) {
            throw new StoreException.Unavailable("the drive is not ready");
        }
        dropped.add(name + " " + bucketId);
    }

    private void join() {
        controller.apply(new Command.Join(new Node(ONE, Role.TARGET, "http://127.0.0.1:1", "", 1)));
    }

    private long create(String name) {
        controller.apply(new Command.CreateBucket(name, 42, BucketProperties.defaults(Optional.empty())));
        return controller.current().buckets().find(name).orElseThrow().id();
    }

    private void remove(String name, long id) {
        var marked = controller.apply(new Command.MarkDeleting(name));
        long deletion = marked.buckets().find(name).orElseThrow().deletion();
        controller.apply(new Command.RemoveBucket(name, id, deletion));
    }
}
