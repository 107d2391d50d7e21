package dev.sluice.targetnode.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotRows;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final SlotRow ROW = new SlotRow(1, List.of(new Member("drive", true, 1, 1)), 1, 1, List.of(), false);

    private final History history = new History();

    @Test
    void newestChangesAreKeptWithoutAGap() {
        assertThat(history.since(0)).isEmpty();
        for (int version = 0; version < 1100; version++) {
            history.add(change(version, 1));
        }
        assertThat(history.since(1100)).as("nothing newer").isEmpty();
        assertThat(history.since(75)).as("one is forgotten").isEmpty();
        assertThat(history.since(76)).hasValueSatisfying(changes -> {
            assertThat(changes).hasSize(1024);
            assertThat(changes.getFirst().change().ifVersion()).isEqualTo(76);
        });
        assertThat(history.since(1099).orElseThrow()).hasSize(1);
    }

    @Test
    void changesOfManyRowsAreForgottenEarlier() {
        for (int version = 0; version < 4; version++) {
            history.add(change(version, 240_000));
        }
        assertThat(history.since(1)).isEmpty();
        assertThat(history.since(2).orElseThrow()).hasSize(2);
    }

    @Test
    void allWhoWatchShareTheBytesOfAChange() {
        history.add(change(0, 3));
        var bytes = history.since(0).orElseThrow().getFirst().bytes();
        assertThat(history.since(0).orElseThrow().getFirst().bytes()).isSameAs(bytes);
        assertThat(bytes).isEqualTo(StateCodec.encode(change(0, 3)));
    }

    private static Change change(long version, int rows) {
        var changed = new SlotRow[rows];
        Arrays.fill(changed, ROW);
        var groups = new TreeMap<Integer, SlotRows>();
        groups.put(1, SlotRows.of(IntStream.range(0, rows).toArray(), changed));
        return new Change(version, Optional.empty(), Optional.empty(), Optional.empty(), groups);
    }
}
