package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.loop.RecordedLoops;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which keys a target lists: those of the slots whose primary is one of its drives.
@Timeout(120)
class GroupSlotsTest {
    private static final long BUCKET = 5;

    @TempDir
    private Path folder;

    private RecordedLoops loops;

    @BeforeEach
    void open() throws Exception {
        loops = new RecordedLoops(folder, 1, "even", "odd");
        for (var drive : List.of("even", "odd")) {
            loops.loop(drive).lease().applied(1);
            loops.promise(drive, 1);
        }
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private void serve(GroupSlots slots, Group group, String drive) {
        var loop = loops.loop(drive);
        var row = new SlotRow(SlotRow.FIRST, List.of(new Member(drive, true, 1, 1)), 1, 1, List.of(), true);
        var done = new CompletableFuture<Void>();
        loop.run(() -> {
            for (int slot = drive.equals("odd") ? 1 : 0; slot < group.slots(); slot += 2) {
                var replica = loop.replica(group.id(), slot);
                loop.handle(replica, new Event.RowApplied(row, false));
                slots.is(replica);
            }
            done.complete(null);
        });
        done.join();
    }

    /// One key for each hash that there is.
    private static String[] keys() {
        var keys = new String[Slot.COUNT];
        int found = 0;
        for (int number = 0; found < keys.length; number++) {
            var key = "key-" + number;
            int hash = Slot.of(BUCKET, key);
            if (keys[hash] == null) {
                keys[hash] = key;
                found++;
            }
        }
        return keys;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 1 << 14, 1 << 16})
    void keysOfAllHashesAreEachServedByOneDrive(int count) {
        var group = new Group(1, 2, Durability.FSYNC, count);
        var slots = new GroupSlots(group);
        serve(slots, group, "even");
        assertThat(slots.served().cover().isWhole(count)).as("half of them").isFalse();
        serve(slots, group, "odd");
        var served = slots.served();
        assertThat(served.cover().isWhole(count)).isTrue();
        int wrong = 0;
        for (var key : keys()) {
            boolean odd = group.slotOf(BUCKET, key) % 2 == 1;
            wrong += served.has(BUCKET, key, "odd") == odd && served.has(BUCKET, key, "even") != odd ? 0 : 1;
        }
        assertThat(wrong).isZero();
    }
}
