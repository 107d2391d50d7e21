package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
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
import java.util.concurrent.ConcurrentHashMap;

/// The drives of one target, locked. A drive holds the slots that its id gives it, so a set that is not the
/// recorded one is refused: with another set, objects that exist would be looked for where they are not.
public final class DriveSet implements AutoCloseable {
    private static final long WEIGHT_UNIT = 1L << 30;
    private static final List<String> FOLDERS =
            List.of("objects", ".sluice/work", ".sluice/aux", ".sluice/escaped", ".sluice/uploads", ".sluice/trash");

    /// Where there is something only on a drive that was in use.
    private static final List<String> KEPT = List.of("objects", ".sluice/escaped", ".sluice/uploads");

    /// A drive of the set.
    ///
    /// @param disabled by an operator: it is not locked, and nothing on it was looked at but its identity
    public record Member(Path path, DriveIdentity identity, boolean disabled) {}

    private final Map<String, DriveLock> locks;
    private final List<Member> members;
    private final DisabledDrives disabled;

    private DriveSet(Map<String, DriveLock> locks, List<Member> members, DisabledDrives disabled) {
        this.locks = locks;
        this.members = List.copyOf(members);
        this.disabled = disabled;
    }

    /// Locks, probes and identifies. To be called on a drive thread.
    ///
    /// @throws DriveRefusedException with one line that says what to do
    public static DriveSet attach(String cluster, String node, List<Path> paths) throws IOException {
        requireUtf8();
        var disabled = DisabledDrives.load(paths);
        var locks = new ArrayList<DriveLock>();
        try {
            var known = new ArrayList<Optional<DriveIdentity>>();
            var unused = new ArrayList<Optional<String>>();
            for (var path : paths) {
                var found = disabled.paths().isEmpty() ? Optional.<DriveIdentity>empty() : identityAt(path);
                unused.add(disabled.at(path, found));
                if (unused.getLast().isEmpty()) {
                    makeFolders(path);
                    locks.add(DriveLock.take(path));
                    makeUsable(path);
                    found = new IdentityFile(path).read();
                }
                known.add(found);
            }
            addUnseen(unused, known);
            var identities = identify(cluster, node, paths, known);
            var members = new ArrayList<Member>();
            var byId = new ConcurrentHashMap<String, DriveLock>();
            var taken = locks.iterator();
            for (int i = 0; i < paths.size(); i++) {
                boolean isDisabled = unused.get(i).isPresent();
                var path = paths.get(i);
                members.add(new Member(path, identities.get(i), isDisabled));
                if (!isDisabled) {
                    byId.put(identities.get(i).id(), taken.next());
                }
            }
            return new DriveSet(byId, members, disabled);
        } catch (IOException | RuntimeException failure) {
            for (var lock : locks) {
                lock.close();
            }
            throw failure;
        }
    }

    /// Who a path's drive is; empty when it says nothing, for whatever reason.
    private static Optional<DriveIdentity> identityAt(Path path) {
        try {
            return new IdentityFile(path).read();
        } catch (IOException _) {
            return Optional.empty(); // asked of drives that may be broken, which is why they are disabled
        }
    }

    /// A disabled drive need not be there: the others know who it was.
    private static void addUnseen(List<Optional<String>> unused, List<Optional<DriveIdentity>> known) {
        var formed = known.stream()
                .flatMap(Optional::stream)
                .filter(DriveIdentity::formed)
                .findFirst();
        for (int i = 0; i < known.size(); i++) {
            if (unused.get(i).isPresent() && known.get(i).isEmpty() && formed.isPresent()) {
                known.set(i, formed.get().sibling(unused.get(i).get()));
            }
        }
    }

    private static void makeUsable(Path path) throws IOException {
        try (var files = new LocalDriveFiles(path)) {
            Ballast.dropWhenFull(files);
            DriveProbe.check(path.toString(), files, ".sluice/work");
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

    private static List<DriveIdentity> identify(
            String cluster, String node, List<Path> paths, List<Optional<DriveIdentity>> known) throws IOException {
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
        for (var folder : KEPT) {
            try (var objects = Files.newDirectoryStream(drive.resolve(folder))) {
                if (objects.iterator().hasNext()) {
                    throw new DriveRefusedException("drive " + drive
                            + " has objects but no identity: restore its .sluice/drive.json, or empty it");
                }
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

    /// As it was when the set was attached.
    public DisabledDrives disabled() {
        return disabled;
    }

    /// Lets go of one drive, so that it can be unmounted. To be called on a drive thread, as is [#takeAgain].
    public void release(Member member) throws IOException {
        var lock = locks.remove(member.identity().id());
        if (lock != null) {
            lock.close();
        }
    }

    /// Takes a drive of the set again, if it is the same.
    ///
    /// @throws DriveRefusedException with one line that says why it is not
    public void takeAgain(Member member) throws IOException {
        requireSame(member);
        makeFolders(member.path());
        var lock = DriveLock.take(member.path());
        locks.put(member.identity().id(), lock);
        requireSame(member);
        makeUsable(member.path());
    }

    /// Looks whether the drive at a member's path is that member. Writes nothing, and makes no folder.
    ///
    /// @throws DriveRefusedException with one line that says what is there instead
    public static void requireSame(Member member) throws IOException {
        DriveThread.assertMayBlock();
        var found = new IdentityFile(member.path()).read();
        if (found.isEmpty()) {
            throw new DriveRefusedException(
                    "no drive is at " + member.path() + " (.sluice/drive.json is not there): is its disk mounted?");
        }
        if (!found.get().id().equals(member.identity().id())) {
            throw new DriveRefusedException("another drive is mounted at " + member.path() + ": it is "
                    + found.get().id() + ", not " + member.identity().id());
        }
    }

    @Override
    public void close() {
        for (var lock : locks.values()) {
            try {
                lock.close();
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }
    }
}
