package dev.sluice.targetnode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.coldfill.TargetFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Drives of a bucket with two replicas that leave and return while their target runs.
@Timeout(180)
class ReturnedDrivesTest {
    @TempDir
    private Path folder;

    private static byte[] content(int version) {
        return TargetFixture.random(version, 100_000);
    }

    @Test
    void driveThatReturnsHasWhatWasWrittenMeanwhileAndServesAgain() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 2, 1)) {
            var target = cluster.target(1);
            var drive = target.onlyDrive();
            var key = cluster.keyOf(target);
            int incarnation = cluster.incarnation(drive);
            cluster.putOnEachReplica(key, content(1));
            cluster.putOnEachReplica(key + "-deleted", content(1));
            target.takeOut(drive);
            ReplicaCluster.eventually(() -> !cluster.isUsable(drive));
            cluster.put(key, content(2));
            cluster.delete(key + "-deleted");
            assertThat(cluster.row(key).member(drive)).isEmpty();
            target.bringBack(drive);
            ReplicaCluster.eventually(() -> cluster.isUsable(drive));
            assertThat(cluster.incarnation(drive)).isGreaterThan(incarnation);
            cluster.awaitOnEachReplica(key, content(2));
            cluster.awaitInSync(key, drive);
            cluster.awaitInSync(key + "-deleted", drive);
            cluster.target(2).takeOut(cluster.target(2).onlyDrive());
            assertThat(cluster.get(key)).as("served by the drive that returned").hasValue(content(2));
            assertThat(cluster.get(key + "-deleted")).isEmpty();
        }
    }

    @Test
    void driveThatIsMissingAtTheStartTakesPartWhenItComes() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 2, 2)) {
            var target = cluster.target(1);
            var late = target.drives.getFirst();
            var away = late.resolveSibling("away");
            var ids = target.ids();
            target.stop();
            Files.move(late, away);
            target.start();
            ReplicaCluster.eventually(target::hasRegistered);
            var missing = ids.stream().filter(id -> !cluster.isUsable(id)).toList();
            assertThat(missing).as("the other one is registered").hasSize(1);
            Files.move(away, late);
            target.bringBack(missing.getFirst());
            ReplicaCluster.eventually(() -> cluster.isUsable(missing.getFirst()));
            ReplicaCluster.eventually(cluster::servesEverySlot);
        }
    }

    @Test
    void newDriveTakesPartWithoutARestart() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 2, 1)) {
            var target = cluster.target(1);
            var before = target.ids();
            target.store()
                    .mountpaths()
                    .attach(Files.createDirectory(folder.resolve("new")).toString());
            var added = target.ids().stream()
                    .filter(id -> !before.contains(id))
                    .findFirst()
                    .orElseThrow();
            ReplicaCluster.eventually(() -> cluster.isUsable(added));
            target.takeOut(before.getFirst());
            var key = cluster.keyOf(cluster.target(2));
            cluster.putOnEachReplica(key, content(1));
            assertThat(cluster.row(key).member(added)).as("it takes writes").isPresent();
        }
    }
}
