package dev.sluice.targetnode.controller.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EntryPartsTest {
    private static LogEntry entry(int members) {
        return new FoundCluster(
                "cluster",
                new TreeSet<>(IntStream.range(0, members)
                        .mapToObj(i -> new NodeId("target%03d".formatted(i)))
                        .toList()));
    }

    private static List<LogEntry> added(EntryParts parts, List<byte[]> sent) throws IOException {
        var entries = new ArrayList<LogEntry>();
        for (var part : sent) {
            parts.add(part).ifPresent(entries::add);
        }
        return entries;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 50, 900})
    void entryComesWithItsLastPartAndNoPartIsTooLarge(int members) throws IOException {
        var sent = EntryParts.of(entry(members), 7, 100);
        assertThat(sent).allMatch(part -> part.length <= 100);
        var parts = new EntryParts();
        for (var part : sent.subList(0, sent.size() - 1)) {
            assertThat(parts.add(part)).isEmpty();
        }
        assertThat(parts.add(sent.getLast())).contains(entry(members));
        assertThat(added(parts, sent)).as("another time").containsExactly(entry(members));
    }

    /// A leader that lost its place between two parts leaves some; another one's entry comes whole, and what the first
    /// sends yet has no effect.
    @Test
    void partsOfTwoEntriesAreNeverOneEntry() throws IOException {
        for (long seed = 1; seed <= 500; seed++) {
            var random = new Random(seed);
            var one = EntryParts.of(entry(20), 1, 100);
            var other = EntryParts.of(entry(30), 2, 100);
            int kept = random.nextInt(one.size());
            int from = random.nextInt(one.size());
            var sent = new ArrayList<>(one.subList(0, kept));
            sent.addAll(other);
            if (from > 0) {
                sent.addAll(one.subList(from, one.size()));
            }
            assertThat(added(new EntryParts(), sent)).as("seed %d", seed).containsExactly(entry(30));
        }
    }

    @Test
    void partThatIsMissingOrComesTwiceUndoesTheEntry() throws IOException {
        var sent = EntryParts.of(entry(30), 1, 100);
        for (int at = 0; at < sent.size(); at++) {
            var without = new ArrayList<>(sent);
            without.remove(at);
            assertThat(added(new EntryParts(), without)).isEmpty();
        }
        for (int at = 1; at < sent.size(); at++) {
            var twice = new ArrayList<>(sent);
            twice.add(at, sent.get(at));
            assertThat(added(new EntryParts(), twice)).hasSize(at == sent.size() - 1 ? 1 : 0);
        }
    }

    @Test
    void whatIsGatheredIsPartOfASnapshot() throws IOException {
        var sent = EntryParts.of(entry(30), 1, 100);
        for (int at = 0; at <= sent.size(); at++) {
            var before = new EntryParts();
            int entries = added(before, sent.subList(0, at)).size();
            var after = EntryParts.decode(before.encoded());
            assertThat(added(after, sent.subList(at, sent.size()))).hasSize(1 - entries);
        }
    }

    @Test
    void whatIsNoPartIsRefused() {
        for (var bytes : new byte[][] {{}, {1}, {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}) {
            assertThatThrownBy(() -> new EntryParts().add(bytes)).isInstanceOf(IOException.class);
        }
    }
}
