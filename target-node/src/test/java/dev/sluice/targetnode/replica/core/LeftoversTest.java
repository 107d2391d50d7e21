package dev.sluice.targetnode.replica.core;

import static dev.sluice.targetnode.replica.core.ScriptedSlot.inSync;
import static dev.sluice.targetnode.replica.core.ScriptedSlot.row;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Generation;
import dev.sluice.common.cluster.slots.SlotRow;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What a drive keeps of a slot that it has left.
class LeftoversTest {
    /// The first epoch of a recovered log.
    private static final long RECOVERED = Generation.LENGTH << 21;

    /// B has the put of the first epoch, and leaves the slot.
    ///
    /// @param rows before the one in which it has no part
    private static List<String> copiesAfterPurge(long epoch, SlotRow... rows) {
        var slot = new ScriptedSlot(Set.of());
        slot.start("A", 1);
        slot.start("B", 2);
        slot.apply(row(1, 1, inSync("A", 1, 1), inSync("B", 2, 1)), "A", "B");
        slot.put("A", 1);
        slot.tick("A"); // B is told that it is committed
        for (var before : rows) {
            slot.apply(before, "A", "B");
        }
        slot.apply(row(epoch, 1, inSync("A", 1, 1)), "A", "B");
        slot.purge("B");
        return slot.copies(1);
    }

    @Test
    void whatWasWrittenBeforeTheLogWasRecoveredIsNotPurged() {
        assertThat(copiesAfterPurge(2)).containsExactly("A");
        assertThat(copiesAfterPurge(2 * Generation.LENGTH)).containsExactly("A");
        assertThat(copiesAfterPurge(RECOVERED)).containsExactly("A", "B");
    }

    @Test
    void itIsPurgedFromADriveThatWasInSyncSince() {
        var inSync = row(RECOVERED, 1, inSync("A", 1, 1), inSync("B", 2, 1));
        assertThat(copiesAfterPurge(RECOVERED + 1, inSync)).containsExactly("A");
    }
}
