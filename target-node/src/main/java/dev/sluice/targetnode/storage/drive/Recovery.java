package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Finishes the changes that were decided before a crash, and throws away those that were not. Looks at open
/// intents and the work folder only, so its time does not depend on the number of objects.
///
/// For each key the newest intent that can be fulfilled decides: a deletion always can; a write can when it has the
/// object's bytes, when its work file is there, or when that has become the object already. Deletions go first, for
/// their folders may be in the way.
final class Recovery {
    private record Name(long bucketId, String key) {}

    private final DriveFiles files;
    private final Contents contents;
    private final IndexBatch after = new IndexBatch();
    private final Set<String> changed = new TreeSet<>();

    Recovery(DriveFiles files, Contents contents) {
        this.files = files;
        this.contents = contents;
    }

    void run() throws IOException {
        contents.finishDrops();
        var intents = new ArrayList<Intent>();
        contents.index().scan(Table.INTENTS, new byte[0], (_, value) -> intents.add(Intent.decode(value)));
        var puts = new ArrayList<Intent.Put>();
        intents.forEach(this::willSync);
        for (var ofOneKey : byKey(intents).values()) {
            decide(ofOneKey, puts);
        }
        for (var put : puts) {
            contents.redo(put, after, changed);
        }
        contents.recovered(intents, after, changed);
        FolderWalk.each(files, Layout.WORK, name -> files.delete(Layout.WORK + "/" + name));
        contents.deleteEndedUploads();
    }

    private static Map<Name, List<Intent>> byKey(List<Intent> intents) {
        var byKey = new HashMap<Name, List<Intent>>();
        intents.forEach(
                intent -> byKey.computeIfAbsent(new Name(intent.bucket().id(), intent.key()), _ -> new ArrayList<>())
                        .add(intent));
        byKey.values()
                .forEach(each -> each.sort(Comparator.comparing(Intent::version).reversed()));
        return byKey;
    }

    /// A rename or deletion may have been done but not be durable, also when this process is not the first to see
    /// it.
    private void willSync(Intent intent) {
        for (boolean escaped : new boolean[] {false, true}) {
            if (escaped || Layout.isPath(intent.key())) {
                var folder = Layout.parent(Layout.path(intent.bucket(), intent.key(), escaped));
                for (; !folder.isEmpty(); folder = Layout.parent(folder)) {
                    changed.add(folder);
                }
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
                    Contents.withoutNote(intent, after);
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
                deleteUpTo(delete);
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
                contents.places().remove(Layout.path(intent.bucket(), intent.key(), entry.escaped()), changed);
            }
        }
    }

    private List<ObjectEntry> lying(Intent intent) throws IOException {
        var found = new ArrayList<ObjectEntry>(2);
        for (boolean escaped : new boolean[] {false, true}) {
            if (escaped || Layout.isPath(intent.key())) {
                var path = Layout.path(intent.bucket(), intent.key(), escaped);
                contents.lying(path, escaped, intent.bucket().id(), intent.key())
                        .ifPresent(found::add);
            }
        }
        return found;
    }
}
