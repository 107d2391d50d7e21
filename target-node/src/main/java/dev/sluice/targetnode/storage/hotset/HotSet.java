package dev.sluice.targetnode.storage.hotset;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects that were read lately: open, with their records; small ones that are read again with their bytes. An
/// answer from here asks the kernel at most whether the file was touched since and is still in the page cache.
public final class HotSet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HotSet.class);

    private final Cache<ObjectKey, HotObject> cache;
    private final MemoryCache memory;
    private final Duration maxAge;

    /// @param files how many may be open
    /// @param memory bytes of small objects that may be in memory
    /// @param maxAge after which bytes are verified again
    public HotSet(int files, long memory, Duration maxAge) {
        this.memory = new MemoryCache(memory);
        this.maxAge = maxAge;
        this.cache = Caffeine.newBuilder()
                .maximumSize(files)
                .executor(Runnable::run)
                .removalListener((@Nullable ObjectKey _, @Nullable HotObject object, RemovalCause _) -> {
                    if (object != null) {
                        object.release();
                    }
                })
                .build();
    }

    /// Never blocks.
    public Optional<StoredObject> get(ObjectKey key) {
        var object = cache.getIfPresent(key);
        return object == null ? Optional.empty() : used(key, object);
    }

    /// Only what is open on this drive, which is the one that may answer for the key now. Another drive of this target
    /// may have left the key's slot since it was read there, and would not know of a deletion. Never blocks.
    public Optional<StoredObject> get(ObjectKey key, Drive from) {
        var object = cache.getIfPresent(key);
        if (object == null) {
            return Optional.empty();
        }
        if (object.drive() != from) {
            cache.asMap().remove(key, object);
            return Optional.empty();
        }
        return used(key, object);
    }

    private Optional<StoredObject> used(ObjectKey key, HotObject object) {
        if (!object.drive().ready() || !object.isGood()) {
            cache.asMap().remove(key, object);
            return Optional.empty();
        }
        if (!object.retain()) {
            return Optional.empty();
        }
        if (object.isToBeKept() && object.retain()) {
            keep(key, object);
        }
        return Optional.of(use(key, object));
    }

    private void keep(ObjectKey key, HotObject object) {
        var _ = object.drive().startStep(object::keep).whenComplete((_, failure) -> {
            if (failure instanceof StoreException.Damaged) {
                damaged(key, object);
            } else if (failure != null) {
                LOG.debug("{} stays out of memory", key, failure);
            }
            object.release();
        });
    }

    private StoredObject use(ObjectKey key, HotObject object) {
        object.read(key);
        return new StoredObject(key, object, () -> damaged(key, object));
    }

    private void damaged(ObjectKey key, HotObject object) {
        cache.asMap().remove(key, object);
        object.whenDamaged().run();
    }

    /// Takes an object that was just opened. On a drive thread, and never beside a change of its key.
    ///
    /// @param whenDamaged run when a reader finds its bytes wrong later; must not block
    /// @throws dev.sluice.common.store.StoreException.Damaged when it is small and its bytes are wrong; it
    /// is closed then
    public StoredObject add(ObjectKey key, ObjectRecord record, DriveFile file, Drive drive, Runnable whenDamaged)
            throws IOException {
        boolean added = false;
        try {
            var object = new HotObject(record, file, drive, maxAge, memory, whenDamaged);
            if (object.isSmall()) {
                object.verify(0, record.fileSize());
            }
            object.retain();
            cache.put(key, object);
            added = true;
            if (!drive.ready()) { // it goes out right now, and must find no file of its own open
                cache.asMap().remove(key, object);
            }
            return use(key, object);
        } finally {
            if (!added) {
                file.close();
            }
        }
    }

    /// The cloud has the same version of an object, if that is open.
    public void agreed(ObjectKey key, ObjectVersion version, long millis) {
        var object = cache.getIfPresent(key);
        if (object != null && object.record().version().equals(version)) {
            object.agreed(millis);
        }
    }

    /// To be called when a change of the key is done, before it is acknowledged.
    public void invalidate(ObjectKey key) {
        cache.invalidate(key);
    }

    public void invalidateBucket(long bucketId) {
        cache.asMap().keySet().removeIf(key -> key.bucketId() == bucketId);
    }

    public void invalidateDrive(Drive drive) {
        cache.asMap().values().removeIf(object -> object.drive() == drive);
    }

    /// How many objects are open.
    public long objects() {
        return cache.estimatedSize();
    }

    /// How many bytes of them are in memory.
    public long bytes() {
        return memory.used();
    }

    @Override
    public void close() {
        cache.invalidateAll();
    }
}
