package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.spread.Spread;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A store whose drives are watched closely, each with faults of its own.
final class WatchedDrives implements AutoCloseable {
    static final FaultyFiles.Fault NONE = (_, _) -> {};
    static final HealthSettings CLOSE = new HealthSettings(Duration.ofMillis(20), 3, Duration.ofSeconds(20));
    static final HealthSettings HARDLY = new HealthSettings(Duration.ofHours(1), 3, Duration.ofSeconds(20));

    final List<Path> paths;
    final ObjectStore store;
    private final Map<Integer, FaultyFiles.Fault> faults = new java.util.concurrent.ConcurrentHashMap<>();
    private volatile FaultyFiles.Fault indexFault = NONE;

    WatchedDrives(List<Path> paths, HealthSettings health) throws IOException {
        this(StoreFixture.config(paths), health);
    }

    WatchedDrives(StoreConfig config, HealthSettings health) throws IOException {
        this.paths = config.drives();
        store = ObjectStore.open(
                config,
                new Seams(
                        (path, files) -> FaultyFiles.with((call, at) -> faults.getOrDefault(paths.indexOf(path), NONE)
                                        .before(call, at))
                                .apply(files),
                        FaultyFiles.index((call, path) -> indexFault.before(call, path))),
                health);
    }

    /// What goes wrong from now on with the files of one drive, counted from 0.
    void fault(int drive, FaultyFiles.Fault fault) {
        faults.put(drive, fault);
    }

    void sound(int drive) {
        faults.remove(drive);
    }

    void indexFault(FaultyFiles.Fault fault) {
        indexFault = fault;
    }

    DriveStats stats(int drive) {
        var path = paths.get(drive).toString();
        return store.stats().stream()
                .filter(stats -> stats.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    DriveState state(int drive) {
        return stats(drive).status().state();
    }

    String reason(int drive) {
        return stats(drive).status().reason();
    }

    /// The n-th key that lies on a drive.
    String key(int drive, int n) {
        var weights = new TreeMap<String, Long>();
        store.stats().forEach(stats -> weights.put(stats.id(), stats.weight()));
        var spread = new Spread(weights);
        int found = 0;
        for (int i = 0; ; i++) {
            var key = "key" + i;
            if (spread.holders(Slot.of(StoreFixture.BUCKET.id(), key), 1)
                            .getFirst()
                            .equals(stats(drive).id())
                    && found++ == n) {
                return key;
            }
        }
    }

    void awaitState(int drive, DriveState state) {
        eventually(() -> state(drive) == state, () -> "drive " + drive + " is " + stats(drive));
    }

    /// Waits until the watch has looked at a drive so many times more.
    void awaitProbes(int drive, int more) {
        long before = stats(drive).probes();
        eventually(() -> stats(drive).probes() >= before + more, () -> "drive " + drive + " is " + stats(drive));
    }

    /// Neither is one of the drive's keys there nor is it not, and nothing is listed. Where there is no other drive it
    /// cannot be written either.
    void requireUnavailable(int drive, String key) {
        if (paths.size() == 1) {
            requireNoWrites(drive, key);
        }
        assertThat(state(drive)).isNotEqualTo(DriveState.ONLINE);
        requireUnknown(key);
        assertThat(store.hot(StoreFixture.BUCKET.id(), key)).isEmpty();
        assertThatThrownBy(() -> store.list(StoreFixture.BUCKET.id(), "", "", 10))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> store.multipart().listUploads(StoreFixture.BUCKET, "", "", "", 10))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> store.isEmpty(StoreFixture.BUCKET.id()))
                .isInstanceOf(StoreException.Unavailable.class);
    }

    private void requireUnknown(String key) {
        try {
            assertThat(store.lookup(StoreFixture.BUCKET, key)).isInstanceOf(Lookup.Unknown.class);
        } catch (StoreException.Unavailable unavailable) {
            assertThat(unavailable).hasMessageContaining("drive");
        }
    }

    /// Waits until the table says of a drive whether it takes writes.
    void awaitCurrent(int drive, boolean current) {
        var id = stats(drive).id();
        eventually(
                () -> store.mountpaths().table().current().has(id) == current,
                () -> "drive " + drive + (current ? " takes no writes" : " takes writes"));
    }

    void requireNoWrites(int drive, String key) {
        assertThat(state(drive)).isNotEqualTo(DriveState.ONLINE);
        assertThatThrownBy(() -> StoreFixture.put(store, key, new byte[1]))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> StoreFixture.delete(store, key)).isInstanceOf(StoreException.Unavailable.class);
    }

    @Override
    public void close() {
        faults.clear();
        indexFault = NONE;
        store.close();
    }
}
