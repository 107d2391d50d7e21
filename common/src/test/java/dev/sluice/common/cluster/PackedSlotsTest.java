package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.SlotEpoch;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.placement.Slot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Slots in the JSON of a call.
class PackedSlotsTest {
    private static final long MILLION = 1 << 20;

    private static Command sent(Command command) throws IOException {
        return ClusterJson.read(ClusterJson.write(command), Command.class);
    }

    @Test
    void slotsOfOneMemberArriveAsTheyWereNamed() throws IOException {
        var random = new Random(3);
        var slots = new ArrayList<SlotDrive>();
        for (int i = 0; i < 5000; i++) {
            slots.add(new SlotDrive(7, random.nextInt(), random.nextLong(), "drive", 9));
        }
        slots.add(new SlotDrive(7, Integer.MIN_VALUE, Long.MIN_VALUE, "drive", 9));
        slots.add(new SlotDrive(7, Integer.MAX_VALUE, Long.MAX_VALUE, "drive", 9));
        assertThat(sent(new Command.Expel(slots))).isEqualTo(new Command.Expel(slots));
        var epochs = slots.stream()
                .map(one -> new SlotEpoch(one.group(), one.slot(), one.epoch()))
                .toList();
        assertThat(sent(new Command.Opened(epochs))).isEqualTo(new Command.Opened(epochs));
        assertThat(sent(new Command.Opened(List.of()))).isEqualTo(new Command.Opened(List.of()));
    }

    @Test
    void slotsOfSeveralMembersArriveTogetherByMember() throws IOException {
        var random = new Random(4);
        var slots = new ArrayList<SlotDrive>();
        for (int slot = 0; slot < 3000; slot++) {
            slots.add(new SlotDrive(
                    1 + random.nextInt(3), slot, random.nextInt(9), "d" + random.nextInt(3), random.nextInt(2)));
        }
        var arrived = ((Command.Promote) sent(new Command.Promote(slots))).learners();
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(slots);
        int changes = 0;
        for (int i = 1; i < arrived.size(); i++) {
            var before = arrived.get(i - 1);
            var one = arrived.get(i);
            boolean same = one.group() == before.group()
                    && one.drive().equals(before.drive())
                    && one.incarnation() == before.incarnation();
            changes += same ? 0 : 1;
        }
        assertThat(changes).isEqualTo(3 * 3 * 2 - 1);
    }

    /// In the order of their slots, as a drive hands them out; with epochs as different as they may be.
    @Test
    void asManySlotsAsACallMayHaveFitIntoIt() {
        var random = new Random(5);
        var slots = new ArrayList<SlotDrive>();
        for (int slot = 0; slots.size() < SlotCommand.MOST_SLOTS; slot = (slot + 100) % Slot.COUNT) {
            slots.add(new SlotDrive(
                    1 + slots.size() / (Slot.COUNT / 100), slot, random.nextLong(MILLION), "drive-of-32-letters", 7));
        }
        assertThat(ClusterJson.write(new Command.Expel(slots)).length).isLessThan(PeerTokens.LARGEST_COMMAND);
    }

    @Test
    void usualSlotsTakeThreeBytes() {
        var slots = new ArrayList<SlotDrive>();
        for (int group = 1; group <= 2; group++) {
            for (int slot = 0; slot < Slot.COUNT; slot++) {
                slots.add(new SlotDrive(group, slot, 1 + slot * 7 % 60, "d" + slot % 6, 3));
            }
        }
        assertThat(ClusterJson.write(new Command.Expel(slots)).length).isLessThan(3 * slots.size());
    }

    @Test
    void callWithMoreSlotsIsRefused() {
        var one = new SlotEpoch(1, 2, 3);
        var most = new Command.Opened(Collections.nCopies(SlotCommand.MOST_SLOTS, one));
        var more = new Command.Opened(Collections.nCopies(SlotCommand.MOST_SLOTS + 1, one));
        assertThat(ClusterJson.write(most)).isNotEmpty();
        assertThatThrownBy(() -> sent(more)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[[1,\"\",0,\"!\"]]",
                "[[1,\"\",0,\"gA==\"]]", // a number that does not end
                "[[1,\"\",0,\"Ag==\"]]", // a slot without its epoch
                "[[1,\"\",0,\"gICAgICAgICAgAEC\"]]", // a number of 11 bytes
                "[[1,\"\",0,\"gICAgIABAg==\"]]", // a slot of more than 32 bits
                "[[1,\"\",0]]",
                "[[1,\"\",0,null]]",
                "[[1,null,0,\"AgI=\"]]",
                "[[1,\"\",\"x\",\"AgI=\"]]",
                "[null]",
                "[[1,2,3]]"
            })
    void malformedSlotsAreNotRead(String slots) {
        for (var command : List.of("Opened\",\"slots", "Expel\",\"asking", "Promote\",\"learners")) {
            var json = "{\"command\":\"Command$%s\":%s}".formatted(command, slots);
            assertThatThrownBy(() -> ClusterJson.read(json.getBytes(StandardCharsets.UTF_8), Command.class))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void wellFormedSlotsOfThisShapeAreRead() throws IOException {
        var bytes = Base64.getEncoder().encodeToString(new byte[] {4, 6});
        var json = "{\"command\":\"Command$Opened\",\"slots\":[[1,\"\",0,\"%s\"]]}".formatted(bytes);
        assertThat(ClusterJson.read(json.getBytes(StandardCharsets.UTF_8), Command.class))
                .isEqualTo(new Command.Opened(List.of(new SlotEpoch(1, 2, 3))));
    }
}
