package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// What a drive's index keeps beside the objects: whether it is whole, how far its versions are given, whose drive it
/// is, what other drives may have missed. Unless said otherwise on a drive thread.
public final class DriveMarks {
    static final byte[] SEQUENCE = {'s'};
    private static final byte[] OWNER = {'n'};
    private static final byte[] SOUND = {'o'};
    private static final byte[] LATE = {'l'};
    private static final byte[] NONE = {};

    private final DriveIndex index;

    DriveMarks(DriveIndex index) {
        this.index = index;
    }

    /// What somebody keeps here under a name of its own ([#keep]).
    public Optional<byte[]> kept(byte[] name) throws IOException {
        return index.get(Table.META, name);
    }

    /// Not synced.
    public void keep(byte[] name, byte[] value) throws IOException {
        index.write(new IndexBatch().put(Table.META, name, value), false);
    }

    // ---- whose it is

    /// The id of the drive that an index was made for.
    public static Optional<String> owner(DriveIndex index) throws IOException {
        return index.get(Table.META, OWNER).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    void recordOwner(String drive) throws IOException {
        if (owner(index).isEmpty()) {
            index.write(new IndexBatch().put(Table.META, OWNER, drive.getBytes(StandardCharsets.UTF_8)), true);
        }
    }

    // ---- versions

    /// The greatest sequence that may have been given to an own version here.
    public long greatestSequence() throws IOException {
        return index.get(Table.META, SEQUENCE).map(IndexKeys::number).orElse(0L);
    }

    public void reserveSequences(long upTo) throws IOException {
        index.write(Usages.knownUpTo(upTo, new IndexBatch().put(Table.META, SEQUENCE, IndexKeys.number(upTo))), true);
    }

    // ---- soundness

    /// Whether the index has all intents that were ever prepared here: it was marked, and not made anew since. A blank
    /// drive is not marked.
    public boolean isSound() throws IOException {
        return index.get(Table.META, SOUND).isPresent();
    }

    /// Durable when it returns.
    public void markSound() throws IOException {
        index.write(new IndexBatch().put(Table.META, SOUND, new byte[] {1}), true);
    }

    // ---- changes that another drive may have missed

    /// A change came to this drive under a drive table by which its key does not belong here. Whoever has looked at all
    /// keys under that table may have passed it. Durable when it returns.
    ///
    /// @param table its version
    public void markLate(long table) throws IOException {
        if (!cameLate(table)) {
            index.write(new IndexBatch().put(Table.META, LATE, IndexKeys.number(table)), true);
        }
    }

    public boolean cameLate(long table) throws IOException {
        return index.get(Table.META, LATE).map(IndexKeys::number).equals(Optional.of(table));
    }

    /// The newest change of a key that another drive may have missed, or not yet have.
    public Optional<ObjectVersion> note(long bucketId, String key) throws IOException {
        return notes(bucketId, key).stream().map(NoteKeys::versionOf).max(Comparator.naturalOrder());
    }

    public boolean hasNotes() throws IOException {
        return index.has(Table.NOTES, NONE);
    }

    /// Notes in their order, from one on.
    ///
    /// @param atMost how many
    public List<byte[]> notesFrom(byte[] from, int atMost) throws IOException {
        var notes = new ArrayList<byte[]>();
        index.scan(Table.NOTES, from, (note, _) -> {
            notes.add(note);
            return notes.size() < atMost;
        });
        return notes;
    }

    /// These, and no newer ones of the same keys.
    public void deleteNotes(List<byte[]> notes) throws IOException {
        var gone = new IndexBatch();
        notes.forEach(note -> gone.delete(Table.NOTES, note));
        if (!gone.isEmpty()) {
            index.write(gone, false);
        }
    }

    /// What deletes all notes of a key; empty when there are none.
    public IndexBatch withoutNotes(long bucketId, String key) throws IOException {
        var gone = new IndexBatch();
        notes(bucketId, key).forEach(note -> gone.delete(Table.NOTES, note));
        return gone;
    }

    private List<byte[]> notes(long bucketId, String key) throws IOException {
        var notes = new ArrayList<byte[]>();
        index.each(Table.NOTES, NoteKeys.prefix(bucketId, key), (note, _) -> notes.add(note));
        return notes;
    }

    /// All of them.
    public void deleteNotes() throws IOException {
        index.write(new IndexBatch().deleteAll(Table.NOTES), false);
    }
}
