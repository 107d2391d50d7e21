package dev.sluice.targetnode.storage.hotset;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// The objects that were read lately: open, with their records, small ones with their bytes. An answer from here
/// costs one call to the kernel at most, which tells whether the file was touched since.
public final class HotSet implements AutoCloseable {
    private static final int BYTES_PER_UNIT = 8 << 10;

    private final Cache<ObjectKey, HotObject> cache;
    private final int smallLimit;
    private final Duration maxAge;

    /// @param files how many may be open; a small object also counts one for every 8 KiB in memory
    /// @param smallLimit objects up to this size are kept in memory
    /// @param maxAge after which bytes are verified again
    public HotSet(int files, int smallLimit, Duration maxAge) {
        this.smallLimit = smallLimit;
        this.maxAge = maxAge;
        this.cache = Caffeine.newBuilder()
                .maximumWeight(files)
                .weigher((ObjectKey _, HotObject object) -> weight(object))
                .executor(Runnable::run)
                .removalListener((_, object, _) -> {
                    if (object != null) {
                        object.release();
                    }
                })
                .build();
    }

    private int weight(HotObject object) {
        long size = object.record().size();
        return 1 + (size <= smallLimit ? (int) size / BYTES_PER_UNIT : 0);
    }

    /// Never blocks.
    public Optional<StoredObject> get(ObjectKey key) {
        var object = cache.getIfPresent(key);
        if (object == null) {
            return Optional.empty();
        }
        if (!object.drive().ready() || !object.isGood()) {
            cache.asMap().remove(key, object);
            return Optional.empty();
        }
        return object.retain() ? Optional.of(use(key, object)) : Optional.empty();
    }

    private StoredObject use(ObjectKey key, HotObject object) {
        object.read(key);
        return new StoredObject(object, () -> {
            cache.asMap().remove(key, object);
            object.whenDamaged().run();
        });
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
            var object = new HotObject(record, file, drive, maxAge, whenDamaged);
            if (record.size() <= smallLimit) {
                object.load();
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

    public long size() {
        return cache.estimatedSize();
    }

    @Override
    public void close() {
        cache.invalidateAll();
    }
}
