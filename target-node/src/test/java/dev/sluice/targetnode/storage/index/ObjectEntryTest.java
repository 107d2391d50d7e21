package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObjectEntryTest {
    private static final ObjectVersion VERSION = new ObjectVersion(3, 7);

    private static ObjectEntry entry(Optional<ObjectEntry.SliceBytes> slice) {
        return new ObjectEntry(VERSION, 100, 5, "etag", false, true, false, true, slice);
    }

    @Test
    void entryIsReadAsItWasWrittenAndKeepsItsSlice() throws IOException {
        for (int position : List.of(Slice.NONE, 0, 3, 23)) {
            var entry = entry(Optional.of(new ObjectEntry.SliceBytes(position, 40)));
            assertThat(ObjectEntry.decode(entry.encode())).isEqualTo(entry);
            assertThat(entry.held()).isEqualTo(new Slice(VERSION, position));
            assertThat(entry.bytes()).isEqualTo(40);
            for (var other : List.of(entry.at(true), entry.marked(true), entry.unsynced(false))) {
                assertThat(other.held()).isEqualTo(entry.held());
                assertThat(other.bytes()).isEqualTo(40);
            }
            var row = new ObjectRows.SlotRow(entry.held(), true);
            assertThat(ObjectRows.SlotRow.decode(row.encode())).isEqualTo(row);
        }
    }

    @Test
    void wholeObjectIsAtPositionZeroWithAllItsBytes() throws IOException {
        var entry = entry(Optional.empty());
        assertThat(ObjectEntry.decode(entry.encode())).isEqualTo(entry);
        assertThat(entry.held()).isEqualTo(new Slice(VERSION, 0));
        assertThat(entry.bytes()).isEqualTo(100);
    }
}
