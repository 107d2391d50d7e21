package dev.sluice.common.cluster.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.placement.Slot;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupTest {
    private static Group group(int slots) {
        return new Group(1, 2, Durability.FSYNC, slots);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 1 << 14, 1 << 16})
    void slotOfAKeyIsTheOneWithItsHash(int slots) {
        var group = group(slots);
        assertThat(group.firstHash(0)).isZero();
        assertThat(group.firstHash(slots)).isEqualTo(Slot.COUNT);
        for (int i = 0; i < 10_000; i++) {
            int hash = Slot.of(9, "key-" + i);
            int slot = group.slotOf(9, "key-" + i);
            assertThat(hash).isBetween(group.firstHash(slot), group.firstHash(slot + 1) - 1);
        }
    }

    @Test
    void fewTargetsHaveFewSlots() {
        assertThat(Group.slotsFor(1, false)).isEqualTo(4_096);
        assertThat(Group.slotsFor(8, false)).isEqualTo(4_096);
        assertThat(Group.slotsFor(9, false)).isEqualTo(16_384);
        assertThat(Group.slotsFor(32, false)).isEqualTo(16_384);
        assertThat(Group.slotsFor(33, false)).isEqualTo(65_536);
        assertThat(Group.slotsFor(32, true)).isEqualTo(4_096);
        assertThat(Group.slotsFor(33, true)).isEqualTo(16_384);
    }

    @Test
    void groupsAreReadAsTheyWereWritten() throws IOException {
        for (var group : List.of(group(1 << 14), new Group(4, 6, 4, Durability.FSYNC, 1 << 12))) {
            assertThat(ClusterJson.read(ClusterJson.write(group), Group.class)).isEqualTo(group);
        }
    }

    @Test
    void codedGroupsHaveACodeAndSync() {
        var group = new Group(1, 6, 4, Durability.FSYNC, 16);
        assertThat(group.coded()).isTrue();
        assertThat(group.floor()).isEqualTo(5);
        assertThat(new Group(1, 3, 2, Durability.FSYNC, 16).floor()).isEqualTo(2);
        assertThat(new Group(1, 3, Durability.OS, 16).coded()).isFalse();
        assertThat(new Group(1, 3, Durability.OS, 16).floor()).isEqualTo(1);
        assertThatThrownBy(() -> new Group(1, 3, 2, Durability.OS, 16)).hasMessageContaining("2 of them data");
        assertThatThrownBy(() -> new Group(1, 2, 2, Durability.FSYNC, 16)).hasMessageContaining("2+0");
        assertThatThrownBy(() -> new Group(1, 9, 4, Durability.FSYNC, 16)).hasMessageContaining("4+5");
        assertThatThrownBy(() -> new Group(1, 9, Durability.FSYNC, 16)).hasMessageContaining("9 replicas");
        assertThatThrownBy(() -> new Group(1, 2, 0, Durability.FSYNC, 16)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, 12_345, 1 << 17})
    void otherNumbersOfSlotsAreRefused(int slots) {
        assertThatThrownBy(() -> group(slots)).hasMessageContaining(slots + " slots");
    }

    /// The first slots of a group with more are not all slots.
    @Test
    void coverIsOfAsManySlotsAsTheGroupHas() {
        var cover = SlotCover.NONE;
        for (int slot = 0; slot < 1 << 14; slot++) {
            cover = cover.and(slot, 1);
        }
        assertThat(cover.isWhole(1 << 14)).isTrue();
        assertThat(cover.isWhole(1 << 16)).isFalse();
        assertThat(cover.plus(SlotCover.NONE.and(3, 1)).isWhole(1 << 14)).isFalse();
    }
}
