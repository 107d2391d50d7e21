package dev.sluice.targetnode.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Copies of a real log, read without its server.
@Timeout(120)
final class LogCopyTest {
    private static final int ENTRIES = 20;

    /// More than one snapshot is after, and less than two.
    private static final int MANY = 1_500;

    private final LogId log = LogId.random();

    @TempDir
    Path root;

    private TestServers servers;

    @BeforeEach
    void write() throws Exception {
        servers = new TestServers(root, log, new TestNetwork());
        servers.open("a", Set.of("a"));
        servers.awaitLeader();
        propose(0, ENTRIES);
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private void propose(long from, long to) throws InterruptedException {
        for (long number = from; number < to; number++) {
            servers.propose(number, 300);
        }
    }

    private LogCopy copy() throws IOException {
        return LogCopy.read(servers.folder("a"), log);
    }

    private static List<Long> numbers(LogCopy copy) throws IOException {
        var machine = new NumberMachine();
        copy.applyTo(machine);
        return machine.numbers();
    }

    private static List<Long> numbers(long to) {
        return LongStream.range(0, to).boxed().toList();
    }

    private List<Path> files(Path folder, String beginning) throws IOException {
        return SyncedFiles.names(folder).stream()
                .filter(name -> name.startsWith(beginning))
                .map(folder::resolve)
                .sorted()
                .toList();
    }

    private Path newestFile() throws IOException {
        return files(servers.files("a").current(), "log_inprogress_").getLast();
    }

    private static int end(byte[] bytes) {
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    @Test
    void copyHasAllEntriesAndIsLeftAsItIs() throws Exception {
        var file = newestFile();
        var killed = Files.readAllBytes(file);
        servers.closeAll();
        Files.write(file, killed); // with the zeros that a clean end cuts off
        var before = Files.readAllBytes(file);
        var copy = copy();
        assertThat(numbers(copy)).isEqualTo(numbers(ENTRIES));
        assertThat(copy.term()).isEqualTo(1);
        assertThat(copy.index()).isEqualTo(ENTRIES); // the first one names the servers
        assertThat(copy.committed()).isEqualTo(-1);
        assertThat(copy.lacks()).isEmpty();
        assertThat(file).hasBinaryContent(before);
    }

    @Test
    void entryThatIsNotWholeIsLeftOutAndSaid() throws Exception {
        var file = newestFile();
        var whole = Files.readAllBytes(file);
        servers.closeAll();
        int end = end(whole);
        var torn = whole.clone();
        Arrays.fill(torn, end - 100, torn.length, (byte) 0);
        Files.write(file, torn);
        var copy = copy();
        assertThat(numbers(copy)).isEqualTo(numbers(ENTRIES - 1));
        assertThat(copy.index()).isEqualTo(ENTRIES - 1);
        assertThat(copy.lacks().orElseThrow()).contains("entry " + ENTRIES + " is damaged", " bytes from byte ");

        var damaged = whole.clone();
        damaged[end / 2] ^= 1;
        Files.write(file, damaged);
        var half = copy();
        assertThat(half.index()).isBetween(5L, ENTRIES - 5L);
        assertThat(numbers(half)).isEqualTo(numbers(half.index()));
        assertThat(half.lacks()).isPresent();

        Files.write(file, Arrays.copyOf(whole, end - 50));
        assertThat(copy().index()).as("of a file that was cut").isEqualTo(ENTRIES - 1);
    }

    @Test
    void entryThatWasCutOffBeforeIsSaid() throws Exception {
        servers.closeAll();
        var tail = new LostTail(servers.folder("a").resolve("lost-tail"));
        tail.lose(ENTRIES + 1, 1);
        assertThat(copy().lacks()).contains("entry %d was damaged, and is cut off".formatted(ENTRIES + 1));
        tail.lose(0, 1);
        Files.delete(servers.folder("a").resolve("lost-tail"));
        assertThat(copy().lacks()).isEmpty();
    }

    @Test
    void snapshotCountsWithTheEntriesAfterIt() throws Exception {
        propose(ENTRIES, MANY);
        servers.closeAll();
        var copy = copy();
        assertThat(copy.committed()).isBetween(1_000L, 1_100L);
        assertThat(copy.index()).isEqualTo(MANY);
        assertThat(numbers(copy)).isEqualTo(numbers(MANY));

        var snapshot = files(servers.files("a").snapshots(), "snapshot.").getFirst();
        var bytes = Files.readAllBytes(snapshot);
        bytes[bytes.length / 2] ^= 1;
        Files.write(snapshot, bytes);
        assertThat(copy().committed()).as("its MD5 is another one").isEqualTo(-1);
        assertThat(numbers(copy())).as("by the entries alone").isEqualTo(numbers(MANY));
    }

    @Test
    void folderWithoutThisLogIsNoCopy() throws Exception {
        servers.closeAll();
        assertThatThrownBy(() -> LogCopy.read(servers.folder("a"), LogId.random()))
                .hasMessageContaining("is missing: there is nothing of the log");
        for (var file : files(servers.files("a").current(), "log_")) {
            Files.delete(file);
        }
        assertThatThrownBy(this::copy).hasMessageContaining("no whole entry and no whole snapshot");
    }
}
