package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// The notes of one drive: has their keys brought, then removes them.
///
/// While there is an earlier spread, a note says more than that its key is to be brought under the current one, and
/// stays; it is seen to again when the table is settled.
final class NotedKeys {
    private static final int AT_ONCE = 256;

    private final Drive drive;
    private final DriveTable table;
    private final Surroundings surroundings;
    private final Bringing bringing;
    private final Strangers strangers;
    private boolean someFailed;

    NotedKeys(Drive drive, DriveTable table, Surroundings surroundings, Bringing bringing, Strangers strangers) {
        this.drive = drive;
        this.table = table;
        this.surroundings = surroundings;
        this.bringing = bringing;
        this.strangers = strangers;
    }

    static boolean areOn(Drive drive) {
        return drive.call(() -> drive.marks().hasNotes());
    }

    private List<byte[]> from(byte[] from) {
        return drive.call(() -> drive.marks().notesFrom(from, AT_ONCE));
    }

    /// If not, the keys may have been brought without a drive that went out meanwhile.
    private boolean isStillTheTable() {
        return surroundings.table().version() == table.version();
    }

    /// @return whether all could be done
    boolean bringAll() {
        for (var notes = from(new byte[0]); !notes.isEmpty(); ) {
            var brought = bring(notes);
            if (table.earlier().isEmpty() && isStillTheTable()) {
                remove(notes.stream()
                        .filter(note -> brought.contains(NoteKeys.objectOf(note)))
                        .toList());
            }
            notes = from(IndexKeys.after(notes.getLast()));
        }
        return !someFailed;
    }

    /// @return those that are where they belong now
    private Set<ObjectKey> bring(List<byte[]> notes) {
        strangers.refresh();
        var started = new LinkedHashMap<ObjectKey, CompletableFuture<Optional<Long>>>();
        var brought = new HashSet<ObjectKey>();
        try {
            for (var note : notes) {
                var name = NoteKeys.objectOf(note);
                var bucket = strangers.bucket(name.bucketId());
                if (bucket.isPresent() && !started.containsKey(name)) {
                    started.put(name, bringing.start(bucket.get(), name, 0, Astray.holders(table, name)));
                }
            }
        } finally {
            started.forEach((name, written) -> {
                if (written.join().isPresent()) {
                    brought.add(name);
                } else {
                    someFailed = true;
                }
            });
        }
        return brought;
    }

    /// These, and no newer ones of the same keys.
    private void remove(List<byte[]> notes) {
        if (drive.serves() && !notes.isEmpty()) {
            Await.whole(drive.startStep(() -> drive.marks().deleteNotes(notes)));
        }
    }
}
