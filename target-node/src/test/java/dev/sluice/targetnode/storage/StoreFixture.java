package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A store on folders of a test.
final class StoreFixture {
    static final BucketRef BUCKET = new BucketRef(7, "shards");
    static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);

    private StoreFixture() {}

    static List<Path> drives(Path folder, int count) throws IOException {
        var drives = new ArrayList<Path>();
        for (int i = 1; i <= count; i++) {
            drives.add(java.nio.file.Files.createDirectories(folder.resolve("d" + i)));
        }
        return drives;
    }

    static StoreConfig config(List<Path> drives) {
        return config(drives, MEMORY);
    }

    static StoreConfig config(List<Path> drives, RocksMemory memory) {
        return new StoreSettings(drives, memory).build();
    }

    static StoreSettings settings(List<Path> drives) {
        return new StoreSettings(drives, MEMORY);
    }

    /// The buckets of a store, and no others.
    static KnownBuckets known(BucketRef... buckets) {
        return new KnownBuckets() {
            @Override
            public Optional<BucketRef> withId(long id) {
                return Stream.of(buckets).filter(each -> each.id() == id).findFirst();
            }

            @Override
            public Optional<BucketRef> named(String name) {
                return Stream.of(buckets)
                        .filter(each -> each.name().equals(name))
                        .findFirst();
            }
        };
    }

    static ObjectStore open(List<Path> drives) throws IOException {
        return ObjectStore.open(config(drives));
    }

    static ObjectRecord put(ObjectStore store, String key, byte[] content) {
        return put(store, BUCKET, key, content, Durability.FSYNC);
    }

    static ObjectRecord put(ObjectStore store, BucketRef bucket, String key, byte[] content, Durability durability) {
        try (var upload = store.begin(bucket, key, content.length, durability)) {
            for (int at = 0; at < content.length; at += 100_000) {
                upload.write(ByteBuffer.wrap(content, at, Math.min(100_000, content.length - at)));
            }
            return upload.commit(CommitTerms.of("etag-" + content.length));
        }
    }

    /// Reads an object that is open already until its bytes are in memory.
    static void awaitInMemory(ObjectStore store, String key) {
        eventually(() -> isInMemory(store, key), () -> key + " is not in memory");
    }

    /// Whether it is; this is a read, too.
    static boolean isInMemory(ObjectStore store, String key) {
        try (var hot = store.hot(BUCKET.id(), key).orElseThrow()) {
            return hot.bytes().isPresent();
        }
    }

    static byte[] get(ObjectStore store, String key) throws IOException {
        return get(store, BUCKET, key);
    }

    static byte[] get(ObjectStore store, BucketRef bucket, String key) throws IOException {
        return switch (store.lookup(bucket, key)) {
            case Lookup.Hit(var object) -> {
                try (object) {
                    var content = ByteBuffer.allocate((int) object.record().size());
                    while (content.hasRemaining()) {
                        var window = content.slice(content.position(), Math.min(content.remaining(), 700_000));
                        object.read(content.position(), window);
                        content.position(content.position() + window.position());
                    }
                    yield content.array();
                }
            }
            case Lookup.Damaged(var why) -> throw new dev.sluice.common.store.StoreException.Damaged(why);
            case Lookup.Unknown(var why) -> throw new dev.sluice.common.store.StoreException.Unavailable(why);
            case Lookup.Miss() -> throw new dev.sluice.common.store.StoreException.NoSuchKey(key);
        };
    }

    static boolean delete(ObjectStore store, String key) {
        return store.delete(BUCKET, key, WriteCheck.NONE, Durability.FSYNC);
    }
}
