package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.awaitInMemory;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.isInMemory;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bytes of small objects that are read again and again.
class MemoryCacheTest {
    private static final int SMALL = 64 << 10;

    @TempDir
    private Path folder;

    @Test
    void bytesAreInMemoryWhenAnObjectIsReadAgainAndGoWithIt() throws IOException {
        try (var store = open(drives(folder, 1))) {
            put(store, "k", random(1, SMALL));
            get(store, "k");
            assertThat(store.hotSet().bytes()).as("after one read").isZero();
            awaitInMemory(store, "k");
            assertThat(store.hotSet().bytes()).isEqualTo(SMALL);
            try (var hot = store.hot(BUCKET.id(), "k").orElseThrow()) {
                assertThat(hot.bytes().orElseThrow()).isEqualTo(ByteBuffer.wrap(random(1, SMALL)));
            }
            put(store, "k", random(2, 1000));
            assertThat(store.hotSet().bytes()).as("after it was replaced").isZero();
            get(store, "k");
            awaitInMemory(store, "k");
            delete(store, "k");
            assertThat(store.hotSet().bytes()).as("after it was deleted").isZero();
        }
    }

    @Test
    void aUserKeepsTheBytesOfAnObjectThatIsReplaced() throws IOException {
        try (var store = open(drives(folder, 1))) {
            put(store, "k", random(1, 1000));
            get(store, "k");
            awaitInMemory(store, "k");
            try (var hot = store.hot(BUCKET.id(), "k").orElseThrow()) {
                put(store, "k", random(2, 1000));
                assertThat(hot.bytes().orElseThrow()).isEqualTo(ByteBuffer.wrap(random(1, 1000)));
                assertThat(store.hotSet().bytes()).as("still in use").isEqualTo(1000);
            }
            assertThat(store.hotSet().bytes()).isZero();
        }
    }

    @Test
    void longerObjectsAndThoseThatFindNoRoomAreServedFromTheirFiles() throws IOException {
        var config =
                StoreFixture.settings(drives(folder, 1)).hotMemory(SMALL + 10).build();
        try (var store = ObjectStore.open(config)) {
            put(store, "first", random(1, SMALL));
            put(store, "second", random(2, 11));
            put(store, "longer", random(3, SMALL + 1));
            for (var key : new String[] {"first", "second", "longer"}) {
                get(store, key);
            }
            awaitInMemory(store, "first");
            for (int read = 0; read < 64; read++) {
                assertThat(isInMemory(store, "second")).isFalse();
                assertThat(isInMemory(store, "longer")).isFalse();
            }
            assertThat(get(store, "second")).isEqualTo(random(2, 11));
            delete(store, "first");
            awaitInMemory(store, "second");
            assertThat(store.hotSet().bytes()).isEqualTo(11);
        }
    }

    /// A page that is dirty already can be changed through a mapping without a new time of change.
    @Test
    void bytesAreComparedWhenTheyAreTakenIntoMemory() throws IOException {
        var drives = drives(folder, 1);
        try (var store = open(drives)) {
            put(store, "k", random(1, 1000));
            var file = drives.getFirst().resolve("objects/shards/k");
            try (var channel = FileChannel.open(file, READ, WRITE)) {
                var mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 1000);
                mapped.put(500, mapped.get(500));
                get(store, "k");
                mapped.put(500, (byte) ~mapped.get(500));
                eventually(() -> isGone(store, "k"), () -> "what was changed is still served");
            }
            assertThat(store.hotSet().bytes()).isZero();
            assertThat(store.lookup(BUCKET, "k")).isInstanceOf(Lookup.Damaged.class);
        }
    }

    private static boolean isGone(ObjectStore store, String key) {
        var hot = store.hot(BUCKET.id(), key);
        hot.ifPresent(StoredObject::close);
        return hot.isEmpty();
    }
}
