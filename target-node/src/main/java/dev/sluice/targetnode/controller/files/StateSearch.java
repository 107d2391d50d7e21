package dev.sluice.targetnode.controller.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A start's look for the newest state on the drives. Runs on a drive thread.
final class StateSearch {
    private static final Logger LOG = LoggerFactory.getLogger(StateSearch.class);

    private final List<StateDrive> drives;
    private final Set<String> lost;
    private final StateDisk disk;
    private final TreeMap<String, StateCopy> copies = new TreeMap<>();
    private final TreeMap<String, String> unread = new TreeMap<>();
    private boolean allRead = true;

    StateSearch(StateDrives drives, StateDisk disk) {
        this.drives = drives.now();
        this.lost = drives.lost();
        this.disk = disk;
    }

    /// What is there.
    ///
    /// @param newest empty when this is a new cluster
    /// @param names the drives that keep it
    /// @param having those of them that have it
    record Found(Optional<StateCopy> newest, Set<String> names, Set<String> having) {}

    /// @throws IOException with one line for the operator, when the state that is there may be an older one
    Found find() throws IOException {
        drives.forEach(this::read);
        requireOneCluster();
        var newest = copies.values().stream().max(StateCopy.ORDER);
        if (newest.isEmpty()) {
            requireNew();
            return new Found(newest, Set.of(), Set.of());
        }
        var names = released(newest.get());
        requireAll(newest.get(), names);
        unread.keySet().forEach(id -> LOG.warn("not needed for the cluster's state: {}", described(id)));
        return new Found(newest, names, having(newest.get(), names));
    }

    private void read(StateDrive drive) {
        try {
            drive.presence().require();
            var bytes = disk.read(drive.file());
            if (bytes.isPresent()) {
                copies.put(drive.id(), StateCopy.of(bytes.get()));
            } else {
                unread.put(drive.id(), "it has no " + drive.file());
            }
        } catch (IOException | RuntimeException failure) {
            unread.put(drive.id(), String.valueOf(failure.getMessage()));
            allRead = false;
        }
    }

    private void requireOneCluster() throws IOException {
        if (copies.values().stream()
                        .map(copy -> copy.state().clusterId())
                        .distinct()
                        .count()
                > 1) {
            throw new IOException("the copies of the cluster's state are of different clusters: " + files()
                    + ". Remove those that are not this cluster's.");
        }
    }

    /// Starting again would forget every bucket, and give their ids to others.
    private void requireNew() throws IOException {
        if (!allRead) {
            throw new IOException("no readable copy of the cluster's state: " + described(unread.keySet())
                    + ". Bring the drive back, or restore one of these files from a backup.");
        }
        for (var drive : drives) {
            requireNoFiles(drive.path().resolve("objects"));
            requireNoFiles(drive.path().resolve("slices"));
        }
    }

    private void requireNoFiles(Path objects) throws IOException {
        if (!Files.exists(objects)) {
            return;
        }
        try (var buckets = Files.newDirectoryStream(objects)) {
            if (buckets.iterator().hasNext()) {
                throw new IOException("there are objects in %s but no cluster's state in %s. %s"
                        .formatted(objects, files(), "Restore one of these files from a backup."));
            }
        }
    }

    private String files() {
        return drives.stream().map(StateDrive::file).toList().toString();
    }

    // ---- whether the newest copy that is there may be an older one

    /// The drives that it names, without those that an operator declared lost and that are not there.
    private Set<String> released(StateCopy newest) {
        var names = new TreeSet<>(newest.names());
        names.removeIf(id -> {
            boolean released = lost.contains(id) && !copies.containsKey(id);
            if (released) {
                LOG.warn(
                        "drive {} is declared lost, and the cluster's state is taken without it: changes after version {} are"
                                + " forgotten if only lost drives had them",
                        id,
                        newest.state().version());
            }
            return released;
        });
        return names;
    }

    private void requireAll(StateCopy newest, Set<String> names) throws IOException {
        var missing = new TreeSet<>(names);
        missing.removeAll(copies.keySet());
        if (missing.isEmpty()) {
            return;
        }
        throw new IOException(
                ("drives that keep the cluster's state cannot be read and may know of later changes than %s, which has"
                                + " version %d: %s. Bring them back; or give them up with [drives] lost = [\"%s\"] in the"
                                + " node's file; or, where only the copy is missing or damaged, put that one in its place."
                                + " Changes that only they have are forgotten then")
                        .formatted(
                                newestFile(newest),
                                newest.state().version(),
                                described(missing),
                                String.join("\", \"", missing)));
    }

    private String described(Set<String> ids) {
        return ids.stream().map(this::described).collect(Collectors.joining("; "));
    }

    private String described(String id) {
        var drive = drives.stream().filter(each -> each.id().equals(id)).findFirst();
        return drive.map(StateDrive::toString).orElse(id) + ": "
                + unread.getOrDefault(id, "it is no drive of this target");
    }

    private String newestFile(StateCopy newest) {
        return drives.stream()
                .filter(drive -> isSame(newest, drive))
                .map(drive -> drive.file().toString())
                .findFirst()
                .orElseThrow();
    }

    private boolean isSame(StateCopy newest, StateDrive drive) {
        var copy = copies.get(drive.id());
        return copy != null && StateCopy.ORDER.compare(newest, copy) == 0;
    }

    /// What a killed process has written is not durable before it is synced.
    private Set<String> having(StateCopy newest, Set<String> names) {
        var having = new TreeSet<String>();
        for (var drive : drives) {
            if (names.contains(drive.id()) && isSame(newest, drive)) {
                try {
                    disk.sync(drive.file());
                    having.add(drive.id());
                } catch (IOException failure) {
                    LOG.warn("{} cannot be synced: {}", drive.file(), failure.toString());
                }
            }
        }
        return having;
    }
}
