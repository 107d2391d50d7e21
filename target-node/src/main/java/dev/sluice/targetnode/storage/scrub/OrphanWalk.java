package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.drive.DriveStore;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.RecordFormat;
import dev.sluice.targetnode.storage.record.UnknownFormatException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Looks for files below `objects` and `.sluice/escaped` that no entry of the index speaks of, and removes the indexes
/// of shards that are not there any more. In the order in which
/// the file system has the names of a folder, so that none needs to be in memory to be sorted. That order is the same
/// when a walk goes on behind a path ([FolderWalk]): what comes before the path's names is passed over. Where a name is
/// gone, its folder is walked from its begin.
final class OrphanWalk {
    /// Is told of each file.
    interface Visitor {
        /// Before a file is looked at; may wait, or end the walk.
        void before() throws IOException;

        /// Again and again within what takes long; may end the walk.
        void within();

        void orphan(ScrubFinding finding);

        void looked(String path) throws IOException;
    }

    private final DriveStore store;
    private final KeyLocks publishing;
    private final KnownBuckets buckets;
    private final Visitor visitor;
    private final Clock ticks;
    private final Map<String, Optional<BucketRef>> named = new HashMap<>();
    private final Map<Long, Optional<BucketRef>> withId = new HashMap<>();

    OrphanWalk(DriveStore store, KeyLocks publishing, KnownBuckets buckets, Visitor visitor, Clock ticks) {
        this.store = store;
        this.publishing = publishing;
        this.buckets = buckets;
        this.visitor = visitor;
        this.ticks = ticks;
    }

    /// @param after the path of the last file that was looked at; empty for all
    void run(String after) throws IOException {
        var folders = List.of(Layout.OBJECTS, Layout.SLICES, Layout.ESCAPED);
        int begun = folders.stream()
                .filter(folder -> after.startsWith(folder + "/"))
                .findFirst()
                .map(folders::indexOf)
                .orElse(0);
        for (var folder : folders.subList(begun, folders.size())) {
            walk(folder, rest(folder, after));
        }
        removeEndedShards();
    }

    /// A crash may leave the index of a shard that is not there any more.
    private void removeEndedShards() throws IOException {
        try (var walk = store.walk(Layout.SHARDS)) {
            for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                visitor.within();
                for (var version : batch.stream()
                        .map(ObjectVersion::ofId)
                        .flatMap(Optional::stream)
                        .toList()) {
                    if (hasEnded(version)) {
                        store.shards().ended(version);
                    }
                }
            }
        }
    }

    private boolean hasEnded(ObjectVersion version) throws IOException {
        var shard = store.shards().owner(version);
        try {
            return shard.isEmpty()
                    || !store.row(shard.get().bucketId(), shard.get().key()).equals(Optional.of(version));
        } catch (DamagedRecordException _) {
            return false; // the entry's own finding says so
        }
    }

    /// The names that lead from a folder to a path.
    private static List<String> rest(String folder, String path) {
        return path.startsWith(folder + "/")
                ? Arrays.asList(path.substring(folder.length() + 1).split("/", -1))
                : List.of();
    }

    private void walk(String folder, List<String> after) throws IOException {
        boolean found = after.isEmpty();
        try (var walk = store.walk(folder)) {
            for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                visitor.within();
                named.clear(); // who was no bucket before these files were seen may be one now
                withId.clear();
                for (var name : batch) {
                    if (found) {
                        look(folder + "/" + name, List.of());
                    } else if (plain(name).equals(after.getFirst())) {
                        found = true;
                        goOn(folder + "/" + name, after.subList(1, after.size()));
                    }
                }
            }
        }
        if (!found) {
            walk(folder, List.of());
        }
    }

    private void goOn(String path, List<String> after) throws IOException {
        if (path.endsWith("/") || !after.isEmpty()) { // else it is the file that was looked at last
            look(path, after);
        }
    }

    private void look(String path, List<String> after) throws IOException {
        if (path.endsWith("/")) {
            walk(plain(path), after);
        } else {
            visit(path);
        }
    }

    private static String plain(String name) {
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }

    /// Looked at twice, since its key may be written meanwhile.
    private void visit(String path) throws IOException {
        visitor.before();
        boolean suspect = isOrphan(path);
        if (suspect && isOrphan(path)) {
            visitor.orphan(new ScrubFinding(
                    ScrubFinding.Kind.ORPHAN,
                    ScrubFinding.Action.KEPT,
                    "",
                    "",
                    path,
                    "no entry of the index speaks of it",
                    ticks.millis()));
        }
        visitor.looked(path);
    }

    private boolean isOrphan(String path) throws IOException {
        if (!store.isFile(path)) {
            return false;
        }
        var at = placed(path);
        return at.isPresent() ? !isKnown(path, at.get()) : !isDamagedEscaped(path) && store.isFile(path);
    }

    private record Placed(BucketRef bucket, String key) {}

    /// Whose file it would be: by its path, or by its record where the path is made from a hash.
    private Optional<Placed> placed(String path) throws IOException {
        if (!path.startsWith(Layout.ESCAPED + "/")) {
            return Layout.ownPath(path)
                    .flatMap(own -> named.computeIfAbsent(own.bucket(), buckets::named)
                            .map(bucket -> new Placed(bucket, own.key())));
        }
        var head = head(path);
        return head.isEmpty()
                ? Optional.empty()
                : withId.computeIfAbsent(head.get().bucketId(), buckets::withId)
                        .map(bucket -> new Placed(bucket, head.get().key()));
    }

    private Optional<RecordFormat.Head> head(String path) throws IOException {
        try {
            return Optional.of(store.head(path));
        } catch (DamagedRecordException | UnknownFormatException | NoSuchFileException _) {
            return Optional.empty();
        }
    }

    /// A file that is no longer there is nobody's business; one that is there without an entry, while no change of its
    /// key is being published, is an orphan.
    private boolean isKnown(String path, Placed at) throws IOException {
        try (var _ = publishing.lock(new ObjectKey(at.bucket.id(), at.key))) {
            var entry = store.entry(at.bucket.id(), at.key);
            boolean isNamed = entry.isPresent()
                    && Layout.path(at.bucket, at.key, entry.get()).equals(path);
            return isNamed || !store.isFile(path) || store.isDropped(at.bucket.id());
        } catch (DamagedRecordException _) {
            return true; // the entry's own finding says so
        }
    }

    /// Whether it is the place of an object that has lost its record: that one's check says so.
    private boolean isDamagedEscaped(String path) throws IOException {
        var id = Layout.bucketOfEscaped(path);
        if (id.isEmpty()) {
            return false;
        }
        var bucket = withId.computeIfAbsent(id.getAsLong(), buckets::withId);
        return bucket.isPresent() && hasEscaped(bucket.get(), path);
    }

    private boolean hasEscaped(BucketRef bucket, String path) throws IOException {
        var found = new boolean[1];
        store.scan(bucket.id(), (key, value) -> {
            visitor.within();
            found[0] = ObjectEntry.decode(value).escaped()
                    && Layout.escaped(bucket.id(), IndexKeys.keyOf(key)).equals(path);
            return !found[0];
        });
        return found[0];
    }
}
