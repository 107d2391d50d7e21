package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FileIdentity;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.files.PathTakenException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/// A file system that promises no more than POSIX does: data and attributes last when the file was synced, a name
/// lasts when its folder was synced, and of the rest a crash keeps what it likes. Renames are atomic, and a change
/// of names is kept only with those before it that concern the same names, made their folder or emptied it (what
/// the journals of ext4 and xfs give, and what fstests ask of btrfs).
public final class SimulatedFiles implements DriveFiles {
    /// A file or folder, apart from its name.
    private static final class Node {
        final boolean folder;
        byte[] data = new byte[0];
        Optional<byte[]> attribute = Optional.empty();
        byte[] syncedData = new byte[0];
        Optional<byte[]> syncedAttribute = Optional.empty();
        long changes;

        Node(boolean folder) {
            this.folder = folder;
        }
    }

    /// A change of names that is not on the drive yet.
    ///
    /// @param parents of the names
    private record NameChange(Map<String, Optional<Node>> names, Set<String> parents) {
        NameChange(Map<String, Optional<Node>> names) {
            this(names, new HashSet<>());
            names.keySet().forEach(path -> parents.add(Layout.parent(path)));
        }

        boolean touches(String folder) {
            return parents.contains(folder);
        }

        boolean comesBefore(NameChange other) {
            return !Collections.disjoint(names.keySet(), other.names.keySet())
                    || !Collections.disjoint(names.keySet(), other.parents)
                    || !Collections.disjoint(parents, other.names.keySet());
        }
    }

    private final Faults faults;
    private NavigableMap<String, Node> names = new TreeMap<>();
    private final Map<String, Node> durable = new TreeMap<>();
    private final List<NameChange> pending = new ArrayList<>();

    public SimulatedFiles(Faults faults) {
        this.faults = faults;
        names.put("", new Node(true));
        for (var folder : List.of(
                Layout.OBJECTS,
                Layout.SYSTEM,
                Layout.WORK,
                Layout.AUX,
                Layout.ESCAPED,
                Layout.BUCKETS,
                Layout.UPLOADS,
                Layout.TRASH)) {
            names.put(folder, new Node(true));
        }
        durable.putAll(names);
    }

    /// What a loss of power leaves.
    public void crash(Random random) {
        int mode = random.nextInt(4);
        int prefix = random.nextInt(pending.size() + 1);
        var kept = new HashSet<NameChange>();
        for (int i = pending.size() - 1; i >= 0; i--) {
            boolean keep = switch (mode) {
                case 0 -> false;
                case 1 -> true;
                case 2 -> i < prefix;
                default -> random.nextBoolean();
            };
            if (keep) {
                keepWithThoseBefore(i, kept);
            }
        }
        pending.stream().filter(kept::contains).forEach(change -> apply(change, durable));
        pending.clear();
        var reachable = new TreeMap<String, Node>();
        durable.forEach((path, node) -> {
            if (path.isEmpty() || reachable.containsKey(Layout.parent(path))) {
                reachable.put(path, node);
            }
        });
        durable.clear();
        durable.putAll(reachable);
        names = new TreeMap<>(durable);
        for (var node : names.values()) {
            lose(node, random);
        }
    }

    private void keepWithThoseBefore(int index, Set<NameChange> kept) {
        if (kept.add(pending.get(index))) {
            for (int before = 0; before < index; before++) {
                if (pending.get(before).comesBefore(pending.get(index))) {
                    keepWithThoseBefore(before, kept);
                }
            }
        }
    }

    private static void lose(Node node, Random random) {
        switch (random.nextInt(3)) {
            case 0 -> {
                node.data = node.syncedData;
                node.attribute = node.syncedAttribute;
            }
            case 1 -> node.data = zeroedWhereNotSynced(node);
            default -> {}
        }
        node.syncedData = node.data;
        node.syncedAttribute = node.attribute;
    }

    /// The length is on the drive, but of the bytes only those that were synced.
    private static byte[] zeroedWhereNotSynced(Node node) {
        var left = new byte[node.data.length];
        for (int i = 0; i < Math.min(left.length, node.syncedData.length); i++) {
            left[i] = node.data[i] == node.syncedData[i] ? node.data[i] : 0;
        }
        return left;
    }

    private static void apply(NameChange change, Map<String, Node> to) {
        change.names.forEach((path, node) -> {
            to.remove(path);
            node.ifPresent(present -> to.put(path, present));
        });
    }

    private void change(Map<String, Optional<Node>> changed) {
        var change = new NameChange(changed);
        apply(change, names);
        pending.add(change);
    }

    private void requireFolder(String path) throws IOException {
        var node = names.get(path);
        if (node == null) {
            for (var above = path; !above.isEmpty(); above = Layout.parent(above)) {
                if (names.containsKey(above) && !isFolder(above)) {
                    throw new PathTakenException(path);
                }
            }
            throw new NoSuchFileException(path);
        }
        if (!node.folder) {
            throw new PathTakenException(path);
        }
    }

    /// All names in a folder, also in those below it.
    private NavigableMap<String, Node> under(String folder) {
        return folder.isEmpty() ? names : names.subMap(folder + "/", false, folder + (char) ('/' + 1), false);
    }

    private boolean isFolder(String path) {
        var node = names.get(path);
        return node != null && node.folder;
    }

    private Node file(String path) throws NoSuchFileException {
        var node = names.get(path);
        if (node == null || node.folder) {
            throw new NoSuchFileException(path);
        }
        return node;
    }

    @Override
    public DriveFile create(String path) throws IOException {
        faults.step(true);
        requireFolder(Layout.parent(path));
        if (names.containsKey(path)) {
            throw new PathTakenException(path);
        }
        var node = new Node(false);
        change(Map.of(path, Optional.of(node)));
        return new Open(node);
    }

    @Override
    public boolean createWhole(String path, byte[] data, byte[] attribute) throws IOException {
        faults.step(true);
        requireFolder(Layout.parent(path));
        if (names.containsKey(path)) {
            return false;
        }
        var node = new Node(false);
        node.data = data.clone();
        node.attribute = Optional.of(attribute.clone());
        change(Map.of(path, Optional.of(node)));
        return true;
    }

    @Override
    public DriveFile edit(String path) throws IOException {
        faults.step(false);
        return new Open(file(path));
    }

    @Override
    public DriveFile open(String path) throws IOException {
        faults.step(false);
        return new Open(file(path));
    }

    @Override
    public boolean isFile(String path) {
        var node = names.get(path);
        return node != null && !node.folder;
    }

    @Override
    public long size(String path) throws IOException {
        faults.step(false);
        return file(path).data.length;
    }

    @Override
    public Optional<byte[]> attribute(String path) throws IOException {
        faults.step(false);
        return file(path).attribute;
    }

    @Override
    public void setAttribute(String path, byte[] value) throws IOException {
        faults.step(true);
        file(path).attribute = Optional.of(value.clone());
    }

    @Override
    public void rename(String from, String to) throws IOException {
        faults.step(true);
        var node = names.get(from);
        if (node == null) {
            throw new NoSuchFileException(from);
        }
        requireFolder(Layout.parent(to));
        if (isFolder(to)) {
            throw new PathTakenException(to);
        }
        var changed = new HashMap<String, Optional<Node>>();
        changed.put(from, Optional.empty());
        changed.put(to, Optional.of(node));
        under(from).forEach((path, each) -> {
            changed.put(path, Optional.empty());
            changed.put(to + path.substring(from.length()), Optional.of(each));
        });
        change(changed);
    }

    @Override
    public void createFolders(String path) throws IOException {
        faults.step(true);
        if (path.isEmpty() || isFolder(path)) {
            return;
        }
        if (names.containsKey(path)) {
            throw new PathTakenException(path);
        }
        createFolders(Layout.parent(path));
        change(Map.of(path, Optional.of(new Node(true))));
    }

    @Override
    public boolean delete(String path) throws IOException {
        faults.step(false);
        if (!names.containsKey(path)) {
            return false;
        }
        file(path);
        change(Map.of(path, Optional.empty()));
        return true;
    }

    @Override
    public boolean deleteFolder(String path) throws IOException {
        faults.step(false);
        if (!under(path).isEmpty()) {
            return false;
        }
        if (names.containsKey(path)) {
            change(Map.of(path, Optional.empty()));
        }
        return true;
    }

    @Override
    public void syncFolder(String path) throws IOException {
        faults.step(false);
        if (!isFolder(path)) {
            throw new NoSuchFileException(path);
        }
        var kept = new HashSet<NameChange>();
        for (int i = 0; i < pending.size(); i++) {
            if (pending.get(i).touches(path)) {
                keepWithThoseBefore(i, kept);
            }
        }
        pending.stream().filter(kept::contains).forEach(change -> apply(change, durable));
        pending.removeIf(kept::contains);
    }

    @Override
    public void syncAll() throws IOException {
        faults.step(false);
        pending.forEach(change -> apply(change, durable));
        pending.clear();
        for (var node : names.values()) {
            node.syncedData = node.data;
            node.syncedAttribute = node.attribute;
        }
    }

    @Override
    public FolderWalk walk(String path) throws IOException {
        faults.step(false);
        var found = new ArrayList<String>();
        under(path).forEach((each, node) -> {
            if (!each.isEmpty() && Layout.parent(each).equals(path)) {
                found.add(each.substring(each.lastIndexOf('/') + 1) + (node.folder ? "/" : ""));
            }
        });
        return new Walk(found);
    }

    /// Of the names at its begin, some of which may be gone. Two at a time: so most folders have several batches.
    private final class Walk implements FolderWalk {
        private static final int AT_ONCE = 2;

        private final List<String> names;
        private int at;

        Walk(List<String> names) {
            this.names = names;
        }

        @Override
        public List<String> next() throws IOException {
            faults.step(false);
            var batch = names.subList(at, Math.min(at + AT_ONCE, names.size()));
            at += batch.size();
            return batch;
        }

        @Override
        public void close() {}
    }

    @Override
    public long freeBytes() {
        return 1L << 40;
    }

    @Override
    public long totalBytes() {
        return 1L << 40;
    }

    private final class Open implements DriveFile {
        private final Node node;

        Open(Node node) {
            this.node = node;
        }

        @Override
        public void write(long offset, ByteBuffer bytes) throws IOException {
            faults.step(true);
            var data = Arrays.copyOf(node.data, Math.max(node.data.length, (int) offset + bytes.remaining()));
            bytes.get(data, (int) offset, bytes.remaining());
            node.data = data;
            node.changes++;
        }

        @Override
        public void writeUncached(long offset, ByteBuffer bytes) throws IOException {
            write(offset, bytes);
        }

        @Override
        public void read(long offset, ByteBuffer into) throws IOException {
            faults.step(false);
            int left = Math.max(0, node.data.length - (int) offset);
            into.put(node.data, left == 0 ? 0 : (int) offset, Math.min(into.remaining(), left));
        }

        @Override
        public void readUncached(long offset, ByteBuffer into) throws IOException {
            read(offset, into);
        }

        @Override
        public void sync() throws IOException {
            faults.step(false);
            node.syncedData = node.data;
            node.syncedAttribute = node.attribute;
        }

        @Override
        public void truncate(long size) throws IOException {
            faults.step(false);
            node.data = Arrays.copyOf(node.data, (int) size);
        }

        @Override
        public FileIdentity identity() {
            return new FileIdentity(System.identityHashCode(node), node.data.length, node.changes);
        }

        @Override
        public boolean isCached(long offset, int length) {
            return true;
        }

        @Override
        public boolean readAtOnce(long offset, ByteBuffer into) {
            return false; // as where the file system cannot tell
        }

        @Override
        public long sendAtOnce(long offset, long length, int socket) {
            throw new UnsupportedOperationException("the kernel has no simulated files");
        }

        @Override
        public void expectRead(long offset, long length) {}

        @Override
        public void close() {}
    }
}
