package dev.sluice.targetnode.storage.slots;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Opens objects on drives, or finds them open.
public final class KeyReads {
    private final HotSet hotSet;
    private final KeyLocks publishing;

    /// @param publishing readers that go to a drive, and changes of what they may find, keep each other out by these
    public KeyReads(HotSet hotSet, KeyLocks publishing) {
        this.hotSet = hotSet;
        this.publishing = publishing;
    }

    public Optional<StoredObject> hot(ObjectKey name) {
        return hotSet.get(name);
    }

    /// @param from the drive that may answer for the key now
    public Optional<StoredObject> hot(ObjectKey name, Drive from) {
        return hotSet.get(name, from);
    }

    /// A look while nobody publishes a change of the key.
    ///
    /// @param hot finds the object open; called once
    /// @param look looks at the drives
    public Lookup look(ObjectKey name, Set<String> avoid, Supplier<Optional<StoredObject>> hot, Supplier<Lookup> look) {
        try (var _ = publishing.lock(name)) {
            return unlessAvoided(hot.get(), avoid).orElseGet(look);
        }
    }

    private static Optional<Lookup> unlessAvoided(Optional<StoredObject> hot, Set<String> avoid) {
        if (hot.isPresent() && avoid.contains(hot.get().drive())) {
            hot.get().close();
            return Optional.empty();
        }
        return hot.map(Lookup.Hit::new);
    }

    /// The first good one of some copies that should all be the same.
    ///
    /// @param bad told the ids of drives whose copies are to be made again; must not block
    public Lookup look(
            List<Drive> copies, BucketRef bucket, ObjectKey name, Set<String> avoid, Consumer<Set<String>> bad) {
        Lookup found = new Lookup.Miss();
        Optional<StoreException> failed = Optional.empty();
        boolean lost = false;
        var missed = new HashSet<String>();
        for (var drive : copies) {
            try {
                var here = avoid.contains(drive.id())
                        ? new Lookup.Damaged("the copy on drive " + drive.id() + " is not what was written")
                        : look(drive, bucket, name, bad);
                if (here instanceof Lookup.Hit) {
                    if (lost) {
                        bad.accept(missed);
                    }
                    return here;
                }
                if (here instanceof Lookup.Damaged) {
                    missed.add(drive.id());
                    found = here;
                }
            } catch (StoreException.DriveFailed | StoreException.Unavailable unreadable) {
                missed.add(drive.id());
                failed = Optional.of(unreadable);
            }
            lost = true;
        }
        if (failed.isPresent()) {
            throw failed.get();
        }
        return found;
    }

    /// The same of one drive, where others have what cannot be read there.
    public Lookup lookAtOne(
            Drive drive, BucketRef bucket, ObjectKey name, Set<String> avoid, Consumer<Set<String>> bad) {
        try {
            return look(List.of(drive), bucket, name, avoid, bad);
        } catch (StoreException.DriveFailed unreadable) {
            drive.confirmThere();
            return new Lookup.Damaged(String.valueOf(unreadable.getMessage()));
        }
    }

    private Lookup look(Drive drive, BucketRef bucket, ObjectKey name, Consumer<Set<String>> bad) {
        try {
            return drive.call(() -> switch (drive.store().find(bucket, name.key())) {
                case Found.Absent() -> new Lookup.Miss();
                case Found.Damaged(var why) -> {
                    drive.requireThere();
                    yield new Lookup.Damaged(why);
                }
                case Found.Present(var record, var file) ->
                    new Lookup.Hit(hotSet.add(name, record, file, drive, () -> bad.accept(Set.of(drive.id()))));
            });
        } catch (StoreException.Damaged damaged) {
            return new Lookup.Damaged(String.valueOf(damaged.getMessage()));
        }
    }
}
