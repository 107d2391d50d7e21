package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.storage.FaultTable.Harm;
import dev.sluice.targetnode.storage.FaultTable.Row;
import dev.sluice.targetnode.storage.FaultTable.Seen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// One harm to the files that hold the cluster's state: no bucket is ever forgotten. A start without one of the two
/// copies is refused, since that one may have been the newer.
final class StateFaultRun {
    private static final NodeId TARGET = new NodeId("target001");

    private final Row row;
    private final int variant;
    private final Path at;

    StateFaultRun(Row row, int variant, Path at) {
        this.row = row;
        this.variant = variant;
        this.at = at;
    }

    void run() {
        try {
            if (row.seen() == Seen.WRITE) {
                written();
            } else {
                for (int drive = 0; drive < 2; drive++) {
                    oneCopy(drive);
                }
                bothCopies();
            }
        } catch (IOException | AssertionError | RuntimeException failure) {
            throw new AssertionError("%s, variant %d".formatted(row, variant), failure);
        }
    }

    private void oneCopy(int drive) throws IOException {
        var cluster = at.resolve("one" + drive);
        var before = formed(cluster, "mine");
        harm(cluster, drive);
        assertThatThrownBy(() -> open(cluster))
                .isInstanceOf(IOException.class)
                .satisfies(refused -> requireClear((IOException) refused, cluster));
        FaultRun.remove(state(cluster, drive));
        Files.copy(state(cluster, 1 - drive), state(cluster, drive));
        assertThat(open(cluster).current().buckets()).isEqualTo(before.buckets());
    }

    private void bothCopies() throws IOException {
        var cluster = at.resolve("both");
        var before = formed(cluster, "mine");
        var good = Files.readAllBytes(state(cluster, 0));
        harm(cluster, 0);
        harm(cluster, 1);
        if (row.harm() == Harm.SWAP) {
            return; // both copies are another cluster's: the drives' identities refuse that
        }
        assertThatThrownBy(() -> open(cluster))
                .isInstanceOf(IOException.class)
                .satisfies(refused -> requireClear((IOException) refused, cluster));
        for (int drive = 0; drive < 2; drive++) {
            FaultRun.remove(state(cluster, drive));
            Files.write(state(cluster, drive), good);
        }
        assertThat(open(cluster).current().buckets()).isEqualTo(before.buckets());
    }

    private void harm(Path cluster, int drive) throws IOException {
        var foreign = at.resolve("foreign" + cluster.getFileName() + drive);
        if (row.harm() == Harm.SWAP) {
            formed(foreign, "not-mine");
        }
        Harms.harm(row.harm(), state(cluster, drive), state(foreign, drive), variant);
    }

    /// One copy cannot be written: the change counts by the other. Neither can: it is refused, and what was
    /// acknowledged stays.
    private void written() throws IOException {
        for (int drive = 0; drive < 2; drive++) {
            var cluster = at.resolve("writes" + drive);
            formed(cluster, "mine");
            var controller = open(cluster);
            var obstacle = obstacle(cluster, drive);
            var before = controller.apply(create("taken"));
            assertThat(open(cluster).current().buckets()).isEqualTo(before.buckets());
            var other = obstacle(cluster, 1 - drive);
            assertThatThrownBy(() -> controller.apply(create("refused")))
                    .isInstanceOfSatisfying(
                            StoreException.class, failure -> Acknowledged.requireServerError("state", failure));
            assertThat(controller.current()).isEqualTo(before);
            FaultRun.remove(other);
            FaultRun.remove(obstacle);
            var after = open(cluster);
            assertThat(after.current().buckets().find("mine"))
                    .isEqualTo(before.buckets().find("mine"));
            var next = after.apply(create("later"));
            assertThat(open(cluster).current().buckets()).isEqualTo(next.buckets());
        }
    }

    private static Path obstacle(Path cluster, int drive) throws IOException {
        var obstacle = state(cluster, drive).resolveSibling("state.new");
        Files.createDirectories(obstacle.resolve("not-empty"));
        return obstacle;
    }

    private static void requireClear(IOException refused, Path cluster) {
        assertThat(refused.getMessage()).contains(cluster.toString()).doesNotContain("\n");
    }

    private static Path state(Path cluster, int drive) {
        return cluster.resolve("d" + drive + "/.sluice/control/state");
    }

    /// On both drives: the second one gets its first copy after a save, and the next save names it.
    private static ClusterState formed(Path cluster, String bucket) throws IOException {
        for (var drive : List.of("d0", "d1")) {
            Files.createDirectories(cluster.resolve(drive).resolve(".sluice"));
        }
        try (var controller = open(cluster)) {
            controller.start();
            eventually(() -> controller.isKeptOn("d0") && controller.isKeptOn("d1"), () -> "it is on both");
            controller.apply(new Command.Join(new Node(TARGET, Role.TARGET, "http://127.0.0.1:1", "", 1)));
            var state = controller.apply(create(bucket));
            Files.createDirectories(cluster.resolve("d0/objects").resolve(bucket));
            return state;
        }
    }

    private static Command.CreateBucket create(String name) {
        return new Command.CreateBucket(name, 42, BucketProperties.defaults(Optional.empty()));
    }

    private static Controller open(Path cluster) throws IOException {
        return Controller.open(
                TestDrives.at(cluster.resolve("d0"), cluster.resolve("d1")),
                Set.of(TARGET),
                new TreeMap<>(Map.of("key", "secret")));
    }
}
