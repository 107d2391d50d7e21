package dev.sluice.targetnode.storage.copies;

import dev.sluice.targetnode.storage.change.KeyCommitter.Ready;
import dev.sluice.targetnode.storage.change.KeyCommitter.Step;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.health.Whereabouts;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a change of a key is for each drive that may have it: the new version on those it is written to, and no older
/// one on any other. Where a drive does not take part, because it is not there or because a crash may come between,
/// the others note the change, so that what they say counts more than its older copy. Under the key's lock.
public final class Changes {
    private final Whereabouts where;
    private final BucketRef bucket;
    private final String key;
    private final ObjectVersion version;
    private final boolean durable;

    public Changes(Whereabouts where, BucketRef bucket, String key, ObjectVersion version, boolean durable) {
        this.where = where;
        this.bucket = bucket;
        this.key = key;
        this.version = version;
        this.durable = durable;
    }

    /// @param puts the new version, for each drive that it was written to
    public <T> Ready<T> put(List<Step> puts, T result) {
        var others = new LinkedHashSet<>(where.writable());
        puts.forEach(put -> others.remove(put.drive()));
        var older = others.stream()
                .flatMap(drive -> drive.call(() -> unknowing(drive)).stream())
                .toList();
        return noted(puts, older, result);
    }

    /// @return empty when there is nothing to delete, and nobody to be told
    public Optional<Ready<Boolean>> delete() {
        var seen = Finder.look(where, bucket.id(), key);
        var copies = new LinkedHashSet<Drive>();
        var writable = where.writable();
        seen.known().stream()
                .filter(each -> each.entry().isPresent() && writable.contains(each.drive()))
                .forEach(each -> copies.add(each.drive()));
        var steps = new ArrayList<Step>();
        copies.forEach(drive -> steps.add(new Step(drive, deletion())));
        if (where.hasUnwritable()) {
            for (var holder : where.toWrite()) {
                if (!copies.contains(holder)) {
                    steps.add(new Step(holder, Prepared.ofIndex(new IndexBatch(), Set.of(), durable)));
                }
            }
        }
        return steps.isEmpty()
                ? Optional.empty()
                : Optional.of(noted(steps, List.of(), !seen.copies().isEmpty()));
    }

    /// What takes from a drive all that it knows of the key, which is out of date when the others are changed.
    private Optional<Step> unknowing(Drive drive) throws IOException {
        var notes = drive.marks().withoutNotes(bucket.id(), key);
        if (drive.store().exists(bucket.id(), key)) {
            return Optional.of(new Step(drive, deletion().and(notes)));
        }
        return notes.isEmpty()
                ? Optional.empty()
                : Optional.of(new Step(drive, Prepared.ofIndex(notes, Set.of(), durable)));
    }

    private Prepared deletion() {
        return Prepared.deletion(bucket, key, version, durable);
    }

    private <T> Ready<T> noted(List<Step> steps, List<Step> then, T result) {
        boolean stays = where.hasUnwritable();
        if (!stays && steps.size() == 1) {
            return new Ready<>(steps, then, result).asNew(version, Optional.empty());
        }
        var note = NoteKeys.note(bucket.id(), key, version);
        var noting = steps.stream()
                .map(step ->
                        new Step(step.drive(), step.change().and(new IndexBatch().put(Table.NOTES, note, new byte[0]))))
                .toList();
        return new Ready<>(noting, then, result).asNew(version, stays ? Optional.empty() : Optional.of(note));
    }
}
