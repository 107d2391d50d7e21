package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// The rows and open intents of one drive, as the shell of a core needs them. {@link StoreContract} says what holds of
/// all of them.
interface Store {
    /// @param value stands for the object's bytes
    /// @param position which slice of them is here
    record Row(ObjectVersion version, String value, int position) {
        Row(ObjectVersion version, String value) {
            this(version, value, 0);
        }

        Slice slice() {
            return new Slice(version, position);
        }
    }

    /// @param value empty for a deletion
    record Intent(ObjectVersion version, boolean delete, String value, int position) {
        Intent(ObjectVersion version, boolean delete, String value) {
            this(version, delete, value, 0);
        }
    }

    Optional<Row> row(ObjectKey key);

    Optional<Intent> intent(ObjectKey key);

    /// Whether a power cut now would leave this slice of a write for certain, or what came after the write.
    boolean survives(ObjectKey key, Slice slice, boolean delete);

    /// All open intents of a slot.
    List<OpenIntent> intents(int slot);

    Page page(int slot, KeyRange range, int limit);

    void prepare(ObjectKey key, Intent intent);

    /// Without an open intent of this version, nothing.
    ///
    /// @return whether a deletion was committed
    boolean settle(ObjectKey key, ObjectVersion version, boolean commit);

    void deleteRow(ObjectKey key, ObjectVersion version);

    void put(ObjectKey key, Row row);

    void sync();

    /// A power cut: what was synced is left, and a prefix of what was not.
    void cut(Random random);

    /// The index is lost, and made anew from files: open intents are gone.
    void forgetIntents();
}
