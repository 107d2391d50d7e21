package dev.sluice.targetnode.controller.files;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The cluster's state on disk: one file, `.sluice/control/state`, on each of the controller's drives. [StateCopy] says
/// what is in it, [StateNames] why a start never takes an older one than the last that counted.
public final class StateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StateFiles.class);

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration AGAIN = Duration.ofSeconds(30);

    private final StateDrives drives;
    private final NodeId self;
    private final Duration patience;
    private final StateDisk disk;
    private final Map<String, DriveWriter> writers = new TreeMap<>();
    private StateNames names = new StateNames(Set.of(), Set.of());
    private long saves;
    private long savedNanos = System.nanoTime();
    private volatile Set<String> trying = Set.of();
    private boolean failed;

    /// @param self the controller, whose boot number orders the copies
    public StateFiles(StateDrives drives, NodeId self) {
        this(drives, self, PATIENCE, new StateDisk.Local());
    }

    /// @param patience how long a write may take
    public StateFiles(StateDrives drives, NodeId self, Duration patience, StateDisk disk) {
        this.drives = drives;
        this.self = self;
        this.patience = patience;
        this.disk = disk;
    }

    /// The newest state; empty when no drive has one, which is a new cluster. To be saved with another boot number
    /// before anything else is.
    ///
    /// @throws IOException with one line for the operator, when a drive that cannot be read may have a newer one
    public Optional<ClusterState> load() throws IOException {
        var found = found();
        names = new StateNames(found.names(), found.having());
        return found.newest().map(StateCopy::state);
    }

    private StateSearch.Found found() throws IOException {
        var search = new StateSearch(drives, disk);
        var result = new CompletableFuture<StateSearch.Found>();
        disk.start("state", () -> {
            try {
                result.complete(search.find());
            } catch (IOException | RuntimeException failure) {
                result.completeExceptionally(failure);
            }
        });
        return Await.io(result);
    }

    /// Whether the last save that counted named this drive, or the one that is being tried does. Never blocks.
    public boolean isKeptOn(String drive) {
        return names.counted().contains(drive) || trying.contains(drive);
    }

    /// Whether another save would name other drives: one came back, or is to go. A drive that has no copy, or failed,
    /// gets one by another save; that is tried from time to time.
    public boolean isDue() {
        if (failed) {
            return false;
        }
        var wanted = wanted(now());
        return !names.first(wanted, ready()).equals(names.counted())
                || !names.fewer(wanted).isEmpty()
                || (!names.counted().containsAll(wanted) && System.nanoTime() - savedNanos > AGAIN.toNanos());
    }

    /// Durable when it returns, on every drive that it names. One that fails or hangs is left out, and gets the next
    /// saves; when it has taken one it is named again.
    ///
    /// @throws IOException when none of the drives that must have it takes it in time. A start may yet find it, so
    ///     nothing is saved after it
    public void save(ClusterState state) throws IOException {
        if (failed) {
            throw new IOException("nothing is saved after a save that failed: restart the controller");
        }
        var here = now();
        writers.entrySet()
                .removeIf(each ->
                        !here.containsKey(each.getKey()) && !each.getValue().hangs());
        savedNanos = System.nanoTime();
        var save = new Save(state, here);
        var named = names.first(wanted(here), ready());
        failed = !save.counts(named);
        if (failed) {
            throw new IOException(save.refusal(named));
        }
        var fewer = names.fewer(wanted(here));
        if (!fewer.isEmpty() && !save.counts(fewer)) {
            failed = true; // of the next save: what this one was asked for has counted
            LOG.error("{}. Restart the controller", save.refusal(fewer));
            return;
        }
        save.writeToOthers();
    }

    /// One state on its way to the drives.
    private final class Save {
        private final ClusterState state;
        private final SortedMap<String, StateDrive> here;
        private final int boot;
        private final byte[] bytes;
        private final SortedMap<String, String> reasons = new TreeMap<>();
        private byte[] head = {};

        Save(ClusterState state, SortedMap<String, StateDrive> here) {
            this.state = state;
            this.here = here;
            this.boot = state.replication().controllers().getOrDefault(self, 0);
            this.bytes = StateCodec.encode(state);
        }

        /// Attempts to have it on these drives, or on those of them that take it.
        ///
        /// @return false when there is none left that must have it
        boolean counts(Set<String> first) {
            var tried = first;
            while (!tried.isEmpty()) {
                saves++;
                trying = tried;
                head = StateCopy.head(boot, saves, tried, bytes);
                var missed = writeInOrder(tried, here, head, bytes);
                if (missed.isEmpty()) {
                    names.haveCounted(tried);
                    trying = Set.of();
                    return true;
                }
                missed.forEach((id, why) ->
                        LOG.warn("the cluster's state {} is not written to drive {}: {}", state.version(), id, why));
                reasons.putAll(missed);
                tried = names.afterFailure(tried, missed.keySet());
            }
            return false;
        }

        /// Why it does not count, and what to do about it.
        String refusal(Set<String> first) {
            if (names.isKnown()) {
                return "none of the drives that keep the cluster's state takes its version %d: %s"
                        .formatted(state.version(), reasons);
            }
            var refusing = reasons.entrySet().stream()
                    .map(each -> described(each.getKey()) + ": " + each.getValue())
                    .collect(Collectors.joining("; "));
            return ("at this start each of the drives %s must take the cluster's state %d: not all of them have the newest"
                            + " copy. These do not: %s. Make them writable; or unmount them, and give them up with [drives]"
                            + " lost = [\"%s\"] in the node's file. Changes that only they have are forgotten then")
                    .formatted(
                            String.join(", ", first),
                            state.version(),
                            refusing,
                            String.join("\", \"", reasons.keySet()));
        }

        private String described(String id) {
            return Optional.ofNullable(here.get(id)).map(StateDrive::toString).orElse(id);
        }

        /// So that the next save can name them. They are not waited for.
        void writeToOthers() {
            var others = wanted(here);
            others.removeAll(names.counted());
            others.removeAll(reasons.keySet());
            for (var id : others) {
                var _ = writer(id)
                        .begin(Objects.requireNonNull(here.get(id)), head, bytes)
                        .whenComplete((_, failure) -> {
                            if (failure != null) {
                                LOG.warn("drive {} has not got the cluster's state: {}", id, failure.toString());
                            }
                        });
            }
        }
    }

    /// @return the drives that do not have it, and why
    private SortedMap<String, String> writeInOrder(
            Set<String> ids, SortedMap<String, StateDrive> here, byte[] head, byte[] bytes) {
        var early = names.early(ids);
        var missed = write(early, here, head, bytes);
        if (!missed.isEmpty()) {
            return missed;
        }
        var late = new TreeSet<>(ids);
        late.removeAll(early);
        return write(late, here, head, bytes);
    }

    private SortedMap<String, String> write(
            Collection<String> ids, SortedMap<String, StateDrive> here, byte[] head, byte[] bytes) {
        var missed = begin(ids, here, head, bytes);
        long deadline = System.nanoTime() + patience.toNanos();
        for (var id : ids) {
            if (!missed.containsKey(id)) {
                writer(id).awaitWritten(deadline).ifPresent(why -> missed.put(id, why));
            }
        }
        return missed;
    }

    private SortedMap<String, String> begin(
            Collection<String> ids, SortedMap<String, StateDrive> here, byte[] head, byte[] bytes) {
        var missed = new TreeMap<String, String>();
        for (var id : ids) {
            var drive = here.get(id);
            if (drive == null) {
                missed.put(id, "it is no drive of this target");
            } else {
                var _ = writer(id).begin(drive, head, bytes);
            }
        }
        return missed;
    }

    private DriveWriter writer(String id) {
        return writers.computeIfAbsent(id, _ -> new DriveWriter(disk));
    }

    private SortedMap<String, StateDrive> now() {
        var now = new TreeMap<String, StateDrive>();
        drives.now().forEach(drive -> now.put(drive.id(), drive));
        return now;
    }

    private static SortedSet<String> wanted(SortedMap<String, StateDrive> here) {
        return here.values().stream()
                .filter(StateDrive::keeps)
                .map(StateDrive::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private List<String> ready() {
        return writers.entrySet().stream()
                .filter(each -> each.getValue().isReady(patience))
                .map(Map.Entry::getKey)
                .toList();
    }
}
