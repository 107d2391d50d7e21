package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Bytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Drives of a bucket with two replicas that leave and return while their target runs.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class ReturnedDrivesTest {
    @TempDir
    private Path folder;

    private static byte[] content(int version) {
        return Bytes.random(version, 100_000);
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
            eventually(() -> !cluster.isUsable(drive));
            cluster.put(key, content(2));
            cluster.delete(key + "-deleted");
            assertThat(cluster.row(key).member(drive)).isEmpty();
            target.bringBack(drive);
            eventually(() -> cluster.isUsable(drive));
            assertThat(cluster.incarnation(drive)).isGreaterThan(incarnation);
            cluster.awaitOnEachReplica(key, content(2));
            cluster.awaitInSync(key, drive);
            cluster.awaitInSync(key + "-deleted", drive);
            cluster.target(2).takeOut(cluster.target(2).onlyDrive());
            assertThat(cluster.get(key)).as("served by the drive that returned").hasValue(content(2));
            assertThat(cluster.get(key + "-deleted")).isEmpty();
        }
    }

    /// Another drive of the same target serves their slots in the end. It has learned from those that deleted them.
    @Test
    void deletedObjectsThatAnOpenDriveHadReadStayDeletedWhenItsNeighbourServes() throws Exception {
        try (var cluster = new ReplicaCluster(folder, 3, 2)) {
            var reader = cluster.target(1);
            var left = reader.ids().getFirst();
            var read = IntStream.range(0, 200)
                    .mapToObj("key-%d"::formatted)
                    .filter(key -> cluster.row(key).primary().drive().equals(left))
                    .toList();
            read.forEach(key -> cluster.put(key, content(1)));
            read.forEach(key -> assertThat(cluster.get(key)).as(key).isPresent());
            assertThat(read).isNotEmpty().allMatch(reader::isHot);
            reader.failLoop(left);
            eventually(() -> read.stream().allMatch(key -> isWholeWithout(cluster, key, left)));
            assertThat(reader.drive(left).ready()).as("it is open").isTrue();
            var deleted = read.stream()
                    .filter(key -> !cluster.members(key).contains(reader))
                    .toList();
            assertThat(deleted).isNotEmpty();
            deleted.forEach(cluster::delete);
            var source = cluster.target(2);
            cluster.target(3).ids().forEach(cluster.target(3)::takeOut);
            deleted.forEach(key -> cluster.awaitInSync(key, reader.ids().getLast()));
            source.ids().forEach(source::takeOut);
            for (var key : deleted) {
                assertThat(cluster.get(key).isPresent()).as(key).isFalse();
                assertThat(cluster.members(key)).as(key).startsWith(reader);
            }
        }
    }

    private static boolean isWholeWithout(ReplicaCluster cluster, String key, String drive) {
        var row = cluster.row(key);
        return row.inSync().size() == 2 && row.member(drive).isEmpty();
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
            eventually(target::hasRegistered);
            var missing = ids.stream().filter(id -> !cluster.isUsable(id)).toList();
            assertThat(missing).as("the other one is registered").hasSize(1);
            Files.move(away, late);
            target.bringBack(missing.getFirst());
            eventually(() -> cluster.isUsable(missing.getFirst()));
            eventually(cluster::servesEverySlot);
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
            eventually(() -> cluster.isUsable(added));
            target.takeOut(before.getFirst());
            var key = cluster.keyOf(cluster.target(2));
            cluster.putOnEachReplica(key, content(1));
            assertThat(cluster.row(key).member(added)).as("it takes writes").isPresent();
        }
    }
}
