package dev.sluice.targetnode.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The files of a real log, with their ends as a power cut may leave them.
@Timeout(120)
final class TornTailTest {
    private static final long ENTRIES = 20;

    @TempDir
    Path root;

    private TestServers servers;
    private Path file;
    private byte[] whole;
    private int last; // where the last entry begins
    private int end;
    private int before; // so many entries are before the last one

    @BeforeEach
    void write() throws Exception {
        servers = new TestServers(root);
        servers.open("a", Set.of("a"));
        servers.awaitLeader();
        for (long number = 0; number < ENTRIES; number++) {
            servers.propose(number, 300);
        }
        var folder = servers.files("a").current();
        var name = SyncedFiles.names(folder).stream()
                .filter(each -> each.startsWith("log_inprogress_"))
                .findFirst()
                .orElseThrow();
        file = folder.resolve(name);
        whole = Files.readAllBytes(file); // while it runs: a clean end cuts the zeros off
        servers.closeAll();
        end = whole.length;
        while (whole[end - 1] == 0) {
            end--;
        }
        last = lastEntry();
        before = before(last);
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    /// The last entry has 300 bytes of ours, and a length of two bytes before them.
    private int lastEntry() {
        for (int at = end - 300; at > 0; at--) {
            var cut = whole.clone();
            Arrays.fill(cut, end - 4, cut.length, (byte) 0);
            int begin = at;
            if (TornTail.find(cut).filter(torn -> torn.from() == begin).isPresent()) {
                return at;
            }
        }
        throw new AssertionError("no entry is found");
    }

    private int before(int last) {
        int entries = 0;
        for (int at = 8; at < last; entries++) {
            int length = (whole[at] & 0x7f) | (whole[at] < 0 ? (whole[at + 1] & 0x7f) << 7 : 0);
            at += (whole[at] < 0 ? 2 : 1) + length + 4;
        }
        return entries;
    }

    private List<Long> numbersAfter(byte[] bytes) throws Exception {
        Files.write(file, bytes);
        servers.open("a", Set.of("a"));
        servers.awaitLeader();
        servers.propose(ENTRIES, 300);
        var numbers = servers.numbers("a");
        servers.closeAll();
        return numbers;
    }

    private byte[] zeroFrom(int at) {
        var torn = whole.clone();
        Arrays.fill(torn, at, torn.length, (byte) 0);
        return torn;
    }

    @Test
    void aWholeFileIsNotTorn() {
        assertThat(whole.length).as("zeros follow").isGreaterThan(end + 1000);
        assertThat(TornTail.find(whole)).isEmpty();
        assertThat(TornTail.find(Arrays.copyOf(whole, end))).isEmpty();
        assertThat(TornTail.find(new byte[0])).isEmpty();
    }

    @Test
    void anEntryThatEndsInZerosIsCutOffWhereverItBreaksOff() {
        for (int at = last + 1; at <= end - 4; at++) {
            assertThat(TornTail.find(zeroFrom(at)))
                    .as("zeros from %d", at)
                    .hasValue(new TornTail.Torn(last, before, false));
        }
        assertThat(TornTail.find(zeroFrom(last))).as("all of it").isEmpty();
    }

    @Test
    void theServerStartsWithAllEntriesBeforeATornOne() throws Exception {
        assertThat(numbersAfter(zeroFrom(last + 200))).hasSize((int) ENTRIES).doesNotContain(ENTRIES - 1);
    }

    /// Each bit of each length: the entries after it, or itself, were acknowledged.
    @Test
    void anEntryWhoseLengthIsDamagedIsNotCutOff() {
        int at = 8; // after the head
        while (at < end) {
            int length = (whole[at] & 0x7f) | (whole[at] < 0 ? (whole[at + 1] & 0x7f) << 7 : 0);
            int digits = whole[at] < 0 ? 2 : 1;
            for (int bit = 0; bit < 8 * digits; bit++) {
                var damaged = whole.clone();
                damaged[at + bit / 8] ^= (byte) (1 << (bit % 8));
                assertThat(TornTail.find(damaged))
                        .as("byte %d, bit %d", at, bit)
                        .isEmpty();
            }
            at += digits + length + 4;
        }
        assertThat(at).isEqualTo(end);
    }

    /// It may have been acknowledged.
    @Test
    void anEntryThatIsDamagedIsNotCutOffWithoutAWord() throws Exception {
        for (int at : new int[] {last + 5, last + 150, end - 1}) {
            var damaged = whole.clone();
            damaged[at] ^= 1;
            assertThat(TornTail.find(damaged)).as("byte %d", at).hasValue(new TornTail.Torn(last, before, true));
        }
        for (int at : new int[] {last - 10, 100}) {
            var damaged = whole.clone();
            damaged[at] ^= 1;
            assertThat(TornTail.find(damaged)).as("byte %d", at).isEmpty();
        }
        var damaged = whole.clone();
        damaged[last + 150] ^= 1;
        Files.write(file, damaged);
        assertThatThrownBy(() -> servers.open("a", Set.of("a")))
                .hasMessageContaining("a whole entry " + before + " is not there");
    }
}
