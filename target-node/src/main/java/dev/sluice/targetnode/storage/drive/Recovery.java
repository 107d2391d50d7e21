package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finishes the changes that were decided before a crash, and throws away those that were not. Looks at open
/// intents and the work folder only, so its time does not depend on the number of objects.
///
/// For each key the newest intent that can be fulfilled decides: a deletion always can; a write can when it has the
/// object's bytes, when its work file is there, or when that has become the object already. Deletions go first, for
/// their folders may be in the way.
///
/// An open intent stays open, with what it needs. A crash may take the end of a commit or an abort, which are not
/// synced: where the object is at its place already the intent is committed, where its staging file is gone and the
/// object is not at its place either it is aborted. Else it is as if the message had not come.
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final DriveFiles files;
    private final Contents contents;
    private final DriveStart start;
    private final IndexBatch after = new IndexBatch();
    private final Set<String> changed = new TreeSet<>();
    private final List<OpenIntents.Open> open = new ArrayList<>();
    private final List<Intent> committed = new ArrayList<>();
    private final Set<ObjectVersion> renamed = new HashSet<>();

    Recovery(Contents contents, DriveStart start) {
        this.files = contents.files();
        this.contents = contents;
        this.start = start;
    }

    void run() throws IOException {
        contents.finishDrops();
        load();
        var puts = new ArrayList<Intent.Put>();
        committed.forEach(this::willSync);
        var byKey = byKey(committed);
        for (var each : open) {
            if (each.content()) {
                deleteUnreadable(each.intent());
            }
        }
        for (var ofOneKey : byKey.values()) {
            if (ofOneKey.stream().anyMatch(each -> renamed.contains(each.version()))) {
                decideRenamed(ofOneKey, puts);
            } else {
                decide(ofOneKey, puts);
            }
        }
        for (var put : puts) {
            contents.redo(put, after, changed);
        }
        contents.recovered(committed, after, changed);
        deleteStaging();
        start.deleteEndedUploads();
        open.forEach(contents.open()::add);
    }

    private void load() throws IOException {
        var rows = OpenIntents.rows(contents.index());
        contents.index().scan(Table.INTENTS, new byte[0], (_, value) -> {
            var intent = Intent.decode(value);
            var row = rows.get(intent.version());
            if (row == null) {
                committed.add(intent);
            } else {
                sort(intent, OpenIntents.Open.of(intent, row.durable(), value.length));
            }
            return true;
        });
    }

    /// Says of an open intent what has become of it.
    private void sort(Intent intent, OpenIntents.Open asOpen) throws IOException {
        if (intent instanceof Intent.Put put) {
            if (isRenamed(put)) {
                after.delete(Table.OPEN, intent.indexKey());
                committed.add(intent);
                renamed.add(intent.version());
                return;
            }
            if (put.content().isEmpty() && !hasAll(put)) {
                LOG.info("version {} of {} was aborted", intent.version(), intent.name());
                GroupCommit.forget(intent, after);
                return;
            }
        }
        open.add(asOpen);
    }

    /// An abort deletes both, and neither deletion is synced.
    private boolean hasAll(Intent.Put put) throws IOException {
        return isReady(put) && (!put.entry().details() || files.isFile(Layout.aux(put.version())));
    }

    /// Only a commit gives an object its place: where the row is another, it was broken off.
    private boolean isRenamed(Intent.Put put) throws IOException {
        return !contents.row(put.bucket().id(), put.key()).equals(Optional.of(put.version()))
                && lying(put).stream().anyMatch(entry -> entry.version().equals(put.version()));
    }

    /// Where a commit of a new small object was broken off, a loss of power may leave a file without its record.
    private void deleteUnreadable(Intent intent) throws IOException {
        if (contents.row(intent.bucket().id(), intent.key()).isEmpty()) {
            for (var path : paths(intent)) {
                if (lying(path, intent).isEmpty()) {
                    contents.places().remove(path, changed);
                }
            }
        }
    }

    private void deleteStaging() throws IOException {
        var needed = open.stream().flatMap(each -> each.staging().stream()).collect(Collectors.toSet());
        FolderWalk.each(files, Layout.WORK, name -> {
            var work = Layout.WORK + "/" + name;
            if (!needed.contains(work)) {
                files.delete(work);
            }
        });
    }

    private static Map<ObjectKey, List<Intent>> byKey(List<Intent> intents) {
        var byKey = new HashMap<ObjectKey, List<Intent>>();
        intents.forEach(intent ->
                byKey.computeIfAbsent(intent.name(), _ -> new ArrayList<>()).add(intent));
        byKey.values()
                .forEach(each -> each.sort(Comparator.comparing(Intent::version).reversed()));
        return byKey;
    }

    /// Of an intent that was open, and whose object is at its place, the commit was the last that happened to the key,
    /// whatever its version.
    private void decideRenamed(List<Intent> ofOneKey, List<Intent.Put> puts) throws IOException {
        for (var intent : ofOneKey) {
            if (renamed.contains(intent.version())) {
                isFulfilled(intent, puts);
            } else if (intent instanceof Intent.Put put && Layout.isWork(put.work())) {
                files.delete(put.work());
            }
        }
    }

    /// A rename or deletion may have been done but not be durable, also when this process is not the first to see it.
    private void willSync(Intent intent) {
        for (var path : paths(intent)) {
            for (var folder = Layout.parent(path); !folder.isEmpty(); folder = Layout.parent(folder)) {
                changed.add(folder);
            }
        }
        if (intent instanceof Intent.Put put) {
            changed.add(Layout.parent(put.work()));
        }
    }

    private void decide(List<Intent> newestFirst, List<Intent.Put> puts) throws IOException {
        boolean decided = false;
        for (var intent : newestFirst) {
            if (!decided) {
                decided = isFulfilled(intent, puts);
                if (!decided) {
                    GroupCommit.withoutNote(intent, after);
                }
            } else if (intent instanceof Intent.Put put && Layout.isWork(put.work())) {
                files.delete(put.work());
            } else if (intent instanceof Intent.Delete delete) {
                deleteUpTo(delete);
            }
        }
        if (!decided) {
            adopt(newestFirst.getFirst());
        }
    }

    private boolean isFulfilled(Intent intent, List<Intent.Put> puts) throws IOException {
        switch (intent) {
            case Intent.Put put
            when put.content().isPresent() -> {
                deleteUpTo(put); // what a crash left of the object, or of its work file, may be anything
                files.delete(put.work());
                puts.add(put);
            }
            case Intent.Put put when isReady(put) -> puts.add(put);
            case Intent.Put put -> {
                return isPlaced(put);
            }
            case Intent.Delete delete -> {
                for (var path : paths(delete)) {
                    if (lying(path, delete).isPresent()) { // also of a greater version: a learner deletes those too
                        contents.places().remove(path, changed);
                    }
                }
                contents.redo(delete, after, changed);
            }
        }
        return true;
    }

    private boolean isReady(Intent.Put put) throws IOException {
        return contents.lying(put.work(), false, put.bucket().id(), put.key())
                .filter(entry -> entry.version().equals(put.version()))
                .isPresent();
    }

    private boolean isPlaced(Intent.Put put) throws IOException {
        for (var entry : lying(put)) {
            if (entry.version().equals(put.version())) {
                contents.found(entry, put.bucket().id(), put.key(), after);
                after.addAll(put.with());
                return true;
            }
        }
        return false;
    }

    /// No intent can be fulfilled: what lies there is the object, whatever the index says.
    private void adopt(Intent intent) throws IOException {
        var newest = lying(intent).stream().max(Comparator.comparing(ObjectEntry::version));
        if (newest.isPresent()) {
            contents.found(newest.get(), intent.bucket().id(), intent.key(), after);
        }
    }

    /// Also where the index does not say that the key lies: the entry may be lost with the rename it was made for.
    private void deleteUpTo(Intent intent) throws IOException {
        for (var entry : lying(intent)) {
            if (entry.version().compareTo(intent.version()) <= 0) {
                contents.places().remove(Layout.path(intent.bucket(), intent.key(), entry), changed);
            }
        }
    }

    private List<ObjectEntry> lying(Intent intent) throws IOException {
        var found = new ArrayList<ObjectEntry>(2);
        for (var path : paths(intent)) {
            lying(path, intent).ifPresent(found::add);
        }
        return found;
    }

    private Optional<ObjectEntry> lying(String path, Intent intent) throws IOException {
        boolean escaped = path.startsWith(Layout.ESCAPED + "/");
        return contents.lying(path, escaped, intent.bucket().id(), intent.key());
    }

    /// Where its file can be. What a deletion deletes may be an object or a slice.
    private static List<String> paths(Intent intent) {
        var paths = new ArrayList<String>();
        if (Layout.isPath(intent.key())) {
            switch (intent) {
                case Intent.Put put -> paths.add(Layout.own(put.bucket(), put.key(), put.entry()));
                case Intent.Delete delete -> {
                    paths.add(Layout.objects(delete.bucket()) + "/" + delete.key());
                    paths.add(Layout.slices(delete.bucket()) + "/" + delete.key());
                }
            }
        }
        paths.add(Layout.escaped(intent.bucket().id(), intent.key()));
        return paths;
    }
}
