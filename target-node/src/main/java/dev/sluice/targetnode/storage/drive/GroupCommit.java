package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two halves of a commit of a group of writes of different keys. The first makes intents durable, with one sync.
/// The second makes them visible, without any. Open intents are only made durable; a later group commits them in its
/// second half, or aborts them in its first.
final class GroupCommit {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;
    private final Unsettled unsettled;
    private final OpenIntents open;

    GroupCommit(Contents contents, Unsettled unsettled, OpenIntents open) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
        this.unsettled = unsettled;
        this.open = open;
    }

    // ---- the first half

    void decide(List<DriveWrite> group) throws IOException {
        unsettled.requireSound();
        var deciding = new Deciding();
        for (var each : group) {
            deciding.add(each);
        }
        deciding.run(group);
    }

    /// Gathers what the first half writes.
    private final class Deciding {
        private final IndexBatch first = new IndexBatch();
        private final Map<ObjectVersion, Integer> logged = new HashMap<>();
        private final List<OpenIntents.Open> opened = new ArrayList<>();
        private final Set<String> folders = new TreeSet<>();
        private boolean settleFirst;
        private boolean durable;

        void add(DriveWrite write) {
            switch (write) {
                case DriveWrite.Whole(var change) ->
                    change.intent().ifPresent(intent -> {
                        log(intent, put(intent), change.durable());
                    });
                case DriveWrite.Opening opening -> {
                    var intent = opening.intent();
                    boolean asked = opening.change().durable();
                    opened.add(OpenIntents.Open.of(intent, asked, put(intent)));
                    OpenIntents.put(first, intent, asked);
                }
                case DriveWrite.Committing committing -> {
                    var found = open.get(committing.name()).orElseThrow();
                    log(found.intent(), found.size(), found.durable());
                }
                case DriveWrite.Aborting aborting -> {
                    forget(open.get(aborting.name()).orElseThrow().intent(), first);
                    durable |= aborting.sync();
                }
            }
        }

        /// @return its size there
        private int put(Intent intent) {
            var value = intent.encode();
            first.put(Table.INTENTS, intent.indexKey(), value);
            return value.length;
        }

        private void log(Intent intent, int size, boolean asDurable) {
            logged.put(intent.version(), size);
            settleFirst |= unsettled.isInTheWayOf(intent, asDurable);
        }

        void run(List<DriveWrite> group) throws IOException {
            if (settleFirst || !unsettled.hasRoomFor(logged)) {
                unsettled.settle();
            }
            unsettled.logged(logged);
            var uploaded = contents.usages().uploaded().new Group(index);
            var changes =
                    group.stream().flatMap(each -> each.prepared().stream()).toList();
            for (var each : changes) {
                if (each.durable()) {
                    durable = true;
                    folders.addAll(each.folders());
                }
                first.addAll(each.with());
                uploaded.add(each.with());
            }
            for (var folder : folders) {
                files.syncFolder(folder);
            }
            contents.names().note(changes);
            if (durable || !first.isEmpty()) {
                index.write(first, durable);
            }
            opened.forEach(open::add);
        }
    }

    static void forget(Intent intent, IndexBatch batch) {
        batch.delete(Table.INTENTS, intent.indexKey()).delete(Table.OPEN, intent.indexKey());
    }

    // ---- the second half

    /// In the order in which groups were decided, one group at a time.
    ///
    /// @return for each why it was not done. Such a change is void, also after a crash; an open intent stays open.
    List<Optional<IOException>> fulfil(List<DriveWrite> group) throws IOException {
        return new Fulfilment().run(group);
    }

    /// What the intents say is done, one by one.
    private final class Fulfilment {
        private final IndexBatch after = new IndexBatch();
        private final Set<String> changed = new TreeSet<>();
        private final List<Intent> done = new ArrayList<>();
        private final List<Intent> gone = new ArrayList<>();
        private final List<OpenIntents.Open> closed = new ArrayList<>();
        private final List<ObjectVersion> replaced = new ArrayList<>();
        private final List<Optional<IOException>> results = new ArrayList<>();

        List<Optional<IOException>> run(List<DriveWrite> group) throws IOException {
            for (var each : group) {
                results.add(fulfil(each));
            }
            if (!after.isEmpty()) {
                var usages = contents.usages();
                usages.uploaded().new Group(index).add(after);
                index.write(usages.writeTo(after), false);
            }
            closed.forEach(each -> open.remove(each.intent().name()));
            gone.forEach(unsettled::gone);
            replaced.forEach(contents.trash()::deleteDetails);
            contents.shards().endAll();
            if (!done.isEmpty()) {
                unsettled.add(done, changed);
            }
            return results;
        }

        private Optional<IOException> fulfil(DriveWrite write) throws IOException {
            return switch (write) {
                case DriveWrite.Whole(var change) ->
                    change.intent().isPresent() ? decided(change.intent().get(), change.durable()) : Optional.empty();
                case DriveWrite.Opening _ -> Optional.empty();
                case DriveWrite.Committing each ->
                    committed(open.get(each.name()).orElseThrow());
                case DriveWrite.Aborting each -> aborted(open.get(each.name()).orElseThrow());
            };
        }

        private Optional<IOException> decided(Intent intent, boolean durable) throws IOException {
            try {
                contents.fulfil(intent, after, changed, replaced);
            } catch (IOException failure) {
                if (intent instanceof Intent.Put put) {
                    contents.places().giveUp(put.work());
                }
                index.write(withoutNote(intent, new IndexBatch().delete(Table.INTENTS, intent.indexKey())), true);
                unsettled.gone(intent);
                return Optional.of(failure);
            }
            done(intent, durable);
            return Optional.empty();
        }

        private Optional<IOException> committed(OpenIntents.Open found) throws IOException {
            var intent = found.content() ? stored(found.intent()) : found.intent();
            try {
                var old = contents.entry(intent.bucket().id(), intent.key());
                if (old.filter(entry -> entry.version().compareTo(intent.version()) > 0)
                        .isPresent()) {
                    return outdated(found, old.get().version());
                }
                contents.fulfil(intent, old, after, changed, replaced);
            } catch (IOException failure) {
                if (found.content() && intent instanceof Intent.Put put) {
                    contents.places().giveUp(put.work()); // it is made from the intent again
                }
                unsettled.gone(intent);
                return Optional.of(failure);
            }
            after.delete(Table.OPEN, intent.indexKey());
            closed.add(found);
            done(intent, found.durable());
            return Optional.empty();
        }

        /// No protocol commits what is older than the row. If one did, the newer object is what somebody was told of.
        private Optional<IOException> outdated(OpenIntents.Open found, ObjectVersion row) throws IOException {
            LOG.error("{} was to be committed, but {} is there: it stays", found.told(), row);
            var result = aborted(found);
            forget(found.intent(), after);
            gone.add(found.intent());
            return result;
        }

        private Intent stored(Intent intent) throws IOException {
            var value = index.get(Table.INTENTS, intent.indexKey());
            if (value.isEmpty()) {
                throw new IOException("the index has lost the intent of " + intent.name());
            }
            return Intent.decode(value.get());
        }

        private Optional<IOException> aborted(OpenIntents.Open found) throws IOException {
            if (found.intent() instanceof Intent.Put put) {
                contents.places().giveUp(put.work());
            }
            var intent = found.intent();
            if (found.hasDetails()
                    && !contents.row(intent.bucket().id(), intent.key()).equals(Optional.of(intent.version()))) {
                replaced.add(intent.version());
            }
            closed.add(found);
            return Optional.empty();
        }

        private void done(Intent intent, boolean durable) {
            if (durable || unsettled.has(intent)) {
                unsettled.open(intent);
                done.add(intent instanceof Intent.Put put ? put.withoutContent() : intent);
            } else {
                after.delete(Table.INTENTS, intent.indexKey());
                gone.add(intent);
            }
        }
    }

    /// Where other drives do not take part in a change, a note says that it was done: it goes with a change that
    /// was not.
    static IndexBatch withoutNote(Intent voided, IndexBatch batch) {
        return batch.delete(Table.NOTES, NoteKeys.note(voided.bucket().id(), voided.key(), voided.version()));
    }
}
