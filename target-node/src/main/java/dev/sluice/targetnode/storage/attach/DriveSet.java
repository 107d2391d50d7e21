package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.space.Ballast;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// The drives that a target holds, locked. All but [#attach]'s result is for drive threads.
public final class DriveSet implements AutoCloseable {
    private static final long WEIGHT_UNIT = 1L << 30;
    private static final List<String> FOLDERS = List.of(
            "objects",
            ".sluice/work",
            ".sluice/aux",
            ".sluice/escaped",
            ".sluice/buckets",
            ".sluice/uploads",
            ".sluice/trash");

    /// A drive that was nobody's.
    public record NewDrive(String id, Path path, Member member) {}

    private final String cluster;
    private final String node;
    private final Map<String, DriveLock> locks = new ConcurrentHashMap<>();
    private final Set<String> noted = ConcurrentHashMap.newKeySet();
    private volatile BooleanSupplier settled = () -> true;

    DriveSet(String cluster, String node) {
        this.cluster = cluster;
        this.node = node;
    }

    /// What a start found.
    ///
    /// @param table counts, and is on each drive that is held
    /// @param missing the other members, and why they are not held; without disabled ones
    /// @param settled whether no write of the life before may still reach a cloud
    public record Started(DriveSet set, DriveTable table, Map<String, String> missing, boolean settled) {}

    /// Takes the drives that the newest drive table names, and those at configured paths that are nobody's.
    ///
    /// @param configured where drives are
    /// @param lost ids of drives that an operator gives up
    /// @throws DriveRefusedException with one line that says what to do
    public static Started attach(String cluster, String node, List<Path> configured, Set<String> lost)
            throws IOException {
        DriveThread.assertMayBlock();
        requireUtf8();
        var set = new DriveSet(cluster, node);
        boolean started = false;
        try {
            var result = new Start(set, configured, lost).run();
            started = true;
            return result;
        } finally {
            if (!started) {
                set.close();
            }
        }
    }

    private static void requireUtf8() {
        var encoding = System.getProperty("sun.jnu.encoding", "");
        if (!encoding.equalsIgnoreCase("UTF-8")) {
            throw new DriveRefusedException(
                    "file names would be written in " + encoding + ", not UTF-8: start Sluice with LC_ALL=C.UTF-8");
        }
    }

    /// @param is whether no write may still reach a cloud. It is asked on drive threads when drives are let go, and
    ///     must not block
    public void settledWhen(BooleanSupplier is) {
        settled = is;
    }

    /// Whether the drive bears the mark of writes to a cloud. On any thread.
    public boolean isNoted(String id) {
        return noted.contains(id);
    }

    /// A write of a cloud is about to be made.
    public void noteCloudWrite(String id, Path path) throws IOException {
        new CloudWritesMark(path).write();
        if (holds(id)) {
            noted.add(id);
        }
    }

    String node() {
        return node;
    }

    boolean holds(String id) {
        return locks.containsKey(id);
    }

    /// @throws DriveRefusedException when the drive is another cluster's or node's
    void requireOurs(Path path, DriveIdentity identity) {
        if (!identity.cluster().equals(cluster)) {
            throw new DriveRefusedException(
                    "drive %s belongs to cluster %s, not to %s".formatted(path, identity.cluster(), cluster));
        }
        if (!identity.node().equals(node)) {
            throw new DriveRefusedException(
                    "drive %s belongs to node %s, not to %s".formatted(path, identity.node(), node));
        }
    }

    // ---- drives of the target

    /// Looks whether a drive is at a path. Writes nothing, and makes no folder.
    ///
    /// @throws DriveRefusedException with one line that says what is there instead
    public static void requireSame(String id, Path path) {
        var sight = Sight.of(path);
        if (!sight.is(id)) {
            throw new DriveRefusedException(sight.whyNot(id));
        }
    }

    /// Whether a new drive is where this member was.
    public static boolean isReplaced(Path path, Member member) {
        return member.isPlaced() && !member.disabled() && Sight.of(path).replaces(member);
    }

    /// Locks a drive, if it is the same.
    ///
    /// @throws DriveRefusedException with one line that says why it is not
    void take(String id, Path path) throws IOException {
        requireSame(id, path);
        makeFolders(path);
        lock(id, path);
        requireSame(id, path);
        makeUsable(path);
    }

    /// The same for a drive that was let go while the target runs.
    public void takeAgain(String id, Path path) throws IOException {
        take(id, path);
        new CleanStopMark(path).delete();
        form(path);
    }

    private void lock(String id, Path path) throws IOException {
        var before = locks.put(id, DriveLock.take(path));
        if (before != null) {
            before.close();
        }
    }

    /// The folder of a new drive need not be there.
    private static void makeDrive(Path drive) {
        try {
            Files.createDirectories(drive);
        } catch (IOException failure) {
            throw notWritable(drive, failure);
        }
        makeFolders(drive);
    }

    private static void makeFolders(Path drive) {
        try {
            for (var folder : FOLDERS) {
                LocalDriveFiles.createFolders(drive, drive.resolve(folder));
            }
        } catch (IOException failure) {
            throw notWritable(drive, failure);
        }
    }

    private static DriveRefusedException notWritable(Path drive, IOException failure) {
        return new DriveRefusedException("drive " + drive + " cannot be written: " + failure);
    }

    private static void makeUsable(Path path) throws IOException {
        try (var files = new LocalDriveFiles(path)) {
            Ballast.dropWhenFull(files);
            DriveProbe.check(path.toString(), files, ".sluice/work");
        }
    }

    /// Lets go of one drive, so that it can be unmounted.
    public void release(String id) throws IOException {
        noted.remove(id);
        var lock = locks.remove(id);
        if (lock != null) {
            lock.close();
        }
    }

    /// The same for a drive that was part of the target to its end.
    ///
    /// @param table the last
    public void releaseAtEnd(String id, Path path, DriveTable table) throws IOException {
        if (holds(id) && table.current().has(id)) {
            requireSame(id, path);
            if (settled.getAsBoolean()) {
                new CloudWritesMark(path).delete();
            }
            new CleanStopMark(path).write(id, table.version());
        }
        release(id);
    }

    /// The id of the drive at a path.
    ///
    /// @throws DriveRefusedException when its identity cannot be read
    public static Optional<String> idAt(Path path) {
        var sight = Sight.of(path);
        if (sight.kind() == Sight.Kind.BROKEN) {
            throw new DriveRefusedException(sight.problem());
        }
        return sight.identity().map(DriveIdentity::id);
    }

    /// Whether a file system of its own is mounted at a path.
    public static boolean isMount(Path path) {
        return Sight.of(path).mount();
    }

    /// Durable when it returns.
    public void record(String id, Path path, DriveTable table, Set<String> asked) throws IOException {
        requireSame(id, path);
        new TableFile(path).write(table, Set.of(asked));
    }

    // ---- drives that come and go

    /// Locks a drive that is nobody's, and names it. It is the target's only once the drive table names it too.
    ///
    /// @throws DriveRefusedException with one line that says why it cannot be used
    public NewDrive takeNew(Path path) throws IOException {
        var before = Sight.of(path);
        if (before.kind() == Sight.Kind.BROKEN) {
            throw new DriveRefusedException(before.problem());
        }
        if (before.identity().isPresent()) {
            requireOurs(path, before.identity().get());
            if (!Sight.isEmpty(path)) {
                throw new DriveRefusedException("drive %s is %s, which was detached, and has objects: empty it first"
                        .formatted(path, before.identity().get().id()));
            }
        }
        var id = "d" + UUID.randomUUID().toString().replace("-", "").substring(0, 15);
        makeDrive(path);
        lock(id, path);
        boolean named = false;
        try {
            makeUsable(path);
            clearIndex(path);
            long weight = Math.max(1, Files.getFileStore(path).getTotalSpace() / WEIGHT_UNIT);
            new IdentityFile(path).write(DriveIdentity.unformed(cluster, node, id, weight));
            named = true;
            return new NewDrive(
                    id, path, Member.at(path.toString(), weight, Sight.of(path).mount()));
        } finally {
            if (!named) {
                release(id);
            }
        }
    }

    /// What another life of the drive left would say that the drive is another one.
    private static void clearIndex(Path path) throws IOException {
        new CleanStopMark(path).delete();
        new CloudWritesMark(path).delete();
        new TableFile(path).delete();
        clear(path.resolve(".sluice/control"));
        clear(path.resolve(".sluice/buckets"));
        var index = path.resolve(".sluice/index");
        clear(index);
        Files.deleteIfExists(index);
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (var files = Files.walk(folder)) {
                for (var each :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    if (!each.equals(folder)) {
                        Files.delete(each);
                    }
                }
            }
        }
    }

    /// The drive table names the drive.
    public void form(Path path) throws IOException {
        var file = new IdentityFile(path);
        var identity = file.read().orElseThrow(() -> new DriveRefusedException(path + " has lost its identity"));
        if (!identity.equals(identity.asFormed())) {
            file.write(identity.asFormed());
        }
    }

    /// The drive table never came to name it.
    public void unname(NewDrive drive) throws IOException {
        new IdentityFile(drive.path()).delete();
    }

    /// The drive table names it no more.
    public void retire(String id, Path path) throws IOException {
        if (holds(id) && Sight.of(path).is(id)) {
            new IdentityFile(path).retire();
        }
        release(id);
    }

    @Override
    public void close() {
        for (var id : locks.keySet()) {
            try {
                release(id);
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }
    }
}
