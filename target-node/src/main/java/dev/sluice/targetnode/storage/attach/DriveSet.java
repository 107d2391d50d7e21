package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.space.Ballast;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// The drives of one target, locked. A drive holds the slots that its id gives it, so a set that is not the
/// recorded one is refused: with another set, objects that exist would be looked for where they are not.
public final class DriveSet implements AutoCloseable {
    private static final long WEIGHT_UNIT = 1L << 30;
    private static final List<String> FOLDERS =
            List.of("objects", ".sluice/work", ".sluice/aux", ".sluice/escaped", ".sluice/uploads", ".sluice/trash");

    /// A drive of the set.
    public record Member(Path path, DriveIdentity identity, LocalDriveFiles files) {}

    private final List<DriveLock> locks;
    private final List<Member> members;

    private DriveSet(List<DriveLock> locks, List<Member> members) {
        this.locks = locks;
        this.members = List.copyOf(members);
    }

    /// Locks, probes and identifies. To be called on a drive thread.
    ///
    /// @throws DriveRefusedException with one line that says what to do
    public static DriveSet attach(String cluster, String node, List<Path> paths) throws IOException {
        requireUtf8();
        var locks = new ArrayList<DriveLock>();
        try {
            var files = new ArrayList<LocalDriveFiles>();
            for (var path : paths) {
                makeFolders(path);
                locks.add(DriveLock.take(path));
                var local = new LocalDriveFiles(path);
                Ballast.dropWhenFull(local);
                DriveProbe.check(path.toString(), local, ".sluice/work");
                files.add(local);
            }
            var identities = identify(cluster, node, paths);
            var members = new ArrayList<Member>();
            for (int i = 0; i < paths.size(); i++) {
                members.add(new Member(paths.get(i), identities.get(i), files.get(i)));
            }
            return new DriveSet(locks, members);
        } catch (IOException | RuntimeException failure) {
            for (var lock : locks) {
                lock.close();
            }
            throw failure;
        }
    }

    private static void requireUtf8() {
        var encoding = System.getProperty("sun.jnu.encoding", "");
        if (!encoding.equalsIgnoreCase("UTF-8")) {
            throw new DriveRefusedException(
                    "file names would be written in " + encoding + ", not UTF-8: start Sluice with LC_ALL=C.UTF-8");
        }
    }

    private static void makeFolders(Path drive) throws IOException {
        try {
            for (var folder : FOLDERS) {
                Files.createDirectories(drive.resolve(folder));
            }
        } catch (IOException failure) {
            throw new DriveRefusedException("drive " + drive + " cannot be written: " + failure);
        }
    }

    private static List<DriveIdentity> identify(String cluster, String node, List<Path> paths) throws IOException {
        var known = new ArrayList<Optional<DriveIdentity>>();
        for (var path : paths) {
            known.add(new IdentityFile(path).read());
        }
        for (int i = 0; i < paths.size(); i++) {
            if (known.get(i).isPresent()) {
                requireOurs(cluster, node, paths.get(i), known.get(i).get());
            }
        }
        return known.stream().flatMap(Optional::stream).anyMatch(DriveIdentity::formed)
                ? sameSet(node, paths, known)
                : form(cluster, node, paths);
    }

    private static void requireOurs(String cluster, String node, Path path, DriveIdentity identity) {
        if (!identity.cluster().equals(cluster)) {
            throw new DriveRefusedException(
                    "drive %s belongs to cluster %s, not to %s".formatted(path, identity.cluster(), cluster));
        }
        if (!identity.node().equals(node)) {
            throw new DriveRefusedException(
                    "drive %s belongs to node %s, not to %s".formatted(path, identity.node(), node));
        }
    }

    private static List<DriveIdentity> sameSet(String node, List<Path> paths, List<Optional<DriveIdentity>> known)
            throws IOException {
        var recorded = known.stream()
                .flatMap(Optional::stream)
                .filter(DriveIdentity::formed)
                .findFirst()
                .orElseThrow();
        var seen = new HashMap<String, Path>();
        for (int i = 0; i < paths.size(); i++) {
            var path = paths.get(i);
            var identity = known.get(i)
                    .orElseThrow(() -> changed(node, path + " is a new drive, recorded are " + recorded.ids()));
            if (!identity.set().equals(recorded.set())) {
                throw changed(node, path + " was last used with " + identity.ids() + ", not with " + recorded.ids());
            }
            var twice = seen.put(identity.id(), path);
            if (twice != null) {
                throw changed(node, path + " and " + twice + " are the same drive or copies of one");
            }
        }
        var missing = new HashSet<>(recorded.set().keySet());
        missing.removeAll(seen.keySet());
        if (!missing.isEmpty()) {
            throw changed(
                    node,
                    "missing " + String.join(", ", missing.stream().sorted().toList()));
        }
        var identities = new ArrayList<DriveIdentity>();
        for (int i = 0; i < paths.size(); i++) {
            identities.add(formed(paths.get(i), known.get(i).orElseThrow()));
        }
        return identities;
    }

    private static DriveRefusedException changed(String node, String how) {
        return new DriveRefusedException(
                "the set of drives of %s has changed: %s; start it with the drives it had".formatted(node, how));
    }

    /// A crash between the two rounds leaves drives that are named but not formed; they are named anew.
    private static List<DriveIdentity> form(String cluster, String node, List<Path> paths) throws IOException {
        for (var path : paths) {
            requireEmpty(path);
        }
        var weights = new TreeMap<String, Long>();
        var ids = new ArrayList<String>();
        for (var path : paths) {
            var id = "d" + UUID.randomUUID().toString().replace("-", "").substring(0, 15);
            ids.add(id);
            weights.put(id, weight(path));
        }
        var identities = new ArrayList<DriveIdentity>();
        for (int i = 0; i < paths.size(); i++) {
            var identity = new DriveIdentity(cluster, node, ids.get(i), weightOf(weights, ids.get(i)), false, weights);
            new IdentityFile(paths.get(i)).write(identity);
            identities.add(identity);
        }
        for (int i = 0; i < paths.size(); i++) {
            identities.set(i, formed(paths.get(i), identities.get(i)));
        }
        return identities;
    }

    private static void requireEmpty(Path drive) throws IOException {
        try (var objects = Files.newDirectoryStream(drive.resolve("objects"))) {
            if (objects.iterator().hasNext()) {
                throw new DriveRefusedException(
                        "drive " + drive + " has objects but no identity: restore its .sluice/drive.json, or empty it");
            }
        }
    }

    private static long weightOf(Map<String, Long> weights, String id) {
        return weights.getOrDefault(id, 1L);
    }

    private static DriveIdentity formed(Path path, DriveIdentity identity) throws IOException {
        if (!identity.formed()) {
            new IdentityFile(path).write(identity.asFormed());
        }
        return identity.asFormed();
    }

    private static long weight(Path path) throws IOException {
        return Math.max(1, Files.getFileStore(path).getTotalSpace() / WEIGHT_UNIT);
    }

    public List<Member> members() {
        return members;
    }

    @Override
    public void close() {
        for (var lock : locks) {
            try {
                lock.close();
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }
    }
}
