package dev.sluice.targetnode.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// The servers' file system is cut off from its disk, with nothing unsynced kept; what its disk has then is
/// looked at through a copy. Needs root, loop devices and ext4.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(90)
final class RaftPowerLossTest {
    private static final String CUT = "import fcntl,os,struct,sys; "
            + "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

    @TempDir
    Path folder;

    private final LogId log = LogId.random();

    private Path before() throws IOException {
        return Files.createDirectories(folder.resolve("before"));
    }

    private Path after() throws IOException {
        return Files.createDirectories(folder.resolve("after"));
    }

    @Test
    void aVoteThatLeftIsOnTheDrive() throws Exception {
        var image = mounted();
        try (var servers = new TestServers(before(), log, new TestNetwork())) {
            var left = servers.network.stopAtFirstVote();
            servers.openAll();
            var vote = left.get();
            loseUnsynced(image);
            for (var voter : List.of(vote.voter(), vote.candidate())) {
                assertThat(meta(voter))
                        .as(voter)
                        .containsEntry("term", Long.toString(vote.term()))
                        .containsEntry("votedFor", vote.candidate());
            }
        } finally {
            unmount();
        }
    }

    @Test
    void acknowledgedEntriesAreThereAfterAllServersLostPowerAtOnce() throws Exception {
        var image = mounted();
        try (var servers = new TestServers(before(), log, new TestNetwork())) {
            servers.openAll();
            for (var number = 0; number < 50; number++) {
                servers.propose(number, 200 << 10);
            }
            var acknowledged = servers.numbers(servers.awaitLeader());
            loseUnsynced(image);
            try (var next = new TestServers(after(), log, new TestNetwork())) {
                next.openAll();
                next.propose(-1, 8);
                assertThat(next.numbers(next.awaitLeader())).hasSize(51).startsWith(acknowledged.toArray(Long[]::new));
            }
        } finally {
            unmount();
        }
    }

    private Properties meta(String server) throws IOException {
        var meta = new Properties();
        try (var in = Files.newBufferedReader(
                new RaftFolder(after().resolve(server), log).current().resolve("raft-meta"))) {
            meta.load(in);
        }
        return meta;
    }

    private Path mounted() throws IOException, InterruptedException {
        var image = folder.resolve("image");
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(256 << 20);
        }
        boolean possible;
        try {
            possible = succeeds("mkfs.ext4", "-q", "-F", "-b", "4096", image.toString()) && mounts(image, before());
        } catch (IOException _) {
            possible = false;
        }
        Assumptions.assumeTrue(possible, "an ext4 image cannot be mounted here: this needs root and loop devices");
        return image;
    }

    private void loseUnsynced(Path image) throws IOException, InterruptedException {
        assertThat(succeeds("python3", "-c", CUT, before().toString())).isTrue();
        var copy = Files.copy(image, folder.resolve("copy"));
        assertThat(mounts(copy, after())).isTrue();
    }

    private void unmount() throws IOException, InterruptedException {
        for (var mount : List.of(before(), after())) {
            var _ = succeeds("umount", "-l", mount.toString());
        }
    }

    private static boolean mounts(Path image, Path mount) throws IOException, InterruptedException {
        return succeeds("mount", "-o", "loop,commit=300,noauto_da_alloc", image.toString(), mount.toString());
    }

    private static boolean succeeds(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as(List.of(command).toString())
                .isTrue();
        return process.exitValue() == 0;
    }
}
