package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.StateCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The cluster's state on disk: one file, `.sluice/control/state`, the same on each of the controller's drives, so that
/// one bad file or drive costs nothing.
///
/// Format: a line `sluice-state 2 <CRC32C of the rest, 8 hex digits>`, then the state as [StateCodec] writes it: a line
/// of JSON, and the rows of slots. Written as temp file, fsync, rename, fsync of the folder. It holds the secret keys,
/// so
/// nobody but its owner may read it, at no time.
final class StateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StateFiles.class);
    private static final String MAGIC = "sluice-state 2 ";
    private static final int HEADER = MAGIC.length() + 8 + 1;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final List<Path> drives;
    private final List<Path> files;
    private final List<Copy> copies;
    private final Duration patience;

    StateFiles(List<Path> drives) {
        this(drives, PATIENCE, StateFiles::write);
    }

    /// Makes one copy durable.
    interface Writing {
        void write(Path file, byte[] head, byte[] state) throws IOException;
    }

    /// @param patience how long a write may take
    StateFiles(List<Path> drives, Duration patience, Writing writing) {
        this.drives = drives;
        this.patience = patience;
        files = drives.stream()
                .map(drive -> drive.resolve(".sluice/control/state"))
                .toList();
        copies = files.stream().map(file -> new Copy(file, writing)).toList();
    }

    /// The newest undamaged copy; empty when no drive has a file, which is a new cluster.
    ///
    /// @throws IOException when there are files but none is readable: starting again would forget every bucket
    Optional<ClusterState> load() throws IOException {
        var states = new ArrayList<ClusterState>();
        var damage = new ArrayList<String>();
        for (var file : files) {
            if (Files.exists(file)) {
                try {
                    states.add(read(file));
                } catch (IOException e) {
                    damage.add(file + ": " + e.getMessage());
                }
            }
        }
        if (states.isEmpty() && !damage.isEmpty()) {
            throw new IOException("no readable copy of the cluster's state: " + String.join("; ", damage)
                    + ". Restore one of these files from a backup.");
        }
        if (states.stream().map(ClusterState::clusterId).distinct().count() > 1) {
            throw new IOException("the copies of the cluster's state are of different clusters: " + files
                    + ". Remove those that are not this cluster's.");
        }
        if (states.isEmpty()) {
            requireNew();
        }
        return states.stream().max(Comparator.comparingLong(ClusterState::version));
    }

    /// Starting again would forget every bucket, and give their ids to others.
    private void requireNew() throws IOException {
        for (var drive : drives) {
            var objects = drive.resolve("objects");
            if (Files.exists(objects)) {
                try (var buckets = Files.newDirectoryStream(objects)) {
                    if (buckets.iterator().hasNext()) {
                        throw new IOException("there are objects in %s but no cluster's state in %s. %s"
                                .formatted(objects, files, "Restore one of these files from a backup."));
                    }
                }
            }
        }
    }

    /// Durable when it returns, on every drive that takes it: one that is out must not stop the cluster's changes, and
    /// gets the next ones when it is back. One that hangs is waited for once, and gets the newest when it goes on.
    ///
    /// @throws IOException when none takes it in time
    void save(ClusterState state) throws IOException {
        var bytes = StateCodec.encode(state);
        var head = (MAGIC + "%08x\n".formatted(crc(bytes, 0))).getBytes(StandardCharsets.US_ASCII);
        var prompt = copies.stream().filter(copy -> !copy.hangs()).toList();
        copies.forEach(copy -> copy.begin(head, bytes));
        long deadline = System.nanoTime() + patience.toNanos();
        if (saved(prompt, deadline, state.version()) == 0 && saved(copies, deadline, state.version()) == 0) {
            throw new IOException("no drive takes the cluster's state " + state.version());
        }
    }

    private long saved(List<Copy> waitedFor, long deadline, long version) {
        return waitedFor.stream()
                .filter(copy -> copy.isWritten(deadline, version))
                .count();
    }

    /// One drive's copy. It is written on threads of its own: a drive that hangs keeps nobody else waiting, and one
    /// thread at most.
    private static final class Copy {
        private final Path file;
        private final Writing writing;
        private final Object lock = new Object();
        private Optional<Runnable> newest = Optional.empty();
        private boolean atWork;
        private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

        Copy(Path file, Writing writing) {
            this.file = file;
            this.writing = writing;
        }

        /// Whether the write that was begun last has not ended. Its thread may live a moment longer.
        boolean hangs() {
            synchronized (lock) {
                return !written.isDone();
            }
        }

        /// Takes the place of what has not been begun yet.
        void begin(byte[] head, byte[] state) {
            var done = new CompletableFuture<Void>();
            synchronized (lock) {
                written = done;
                newest = Optional.of(() -> write(head, state, done));
                if (!atWork) {
                    atWork = true;
                    Thread.ofPlatform().name("state " + file).daemon().start(this::writeAll);
                }
            }
        }

        private void writeAll() {
            for (var next = next(); next.isPresent(); next = next()) {
                next.get().run();
            }
        }

        private Optional<Runnable> next() {
            synchronized (lock) {
                var next = newest;
                newest = Optional.empty();
                atWork = next.isPresent();
                return next;
            }
        }

        private void write(byte[] head, byte[] state, CompletableFuture<Void> done) {
            try {
                writing.write(file, head, state);
                done.complete(null);
            } catch (IOException | RuntimeException failure) {
                done.completeExceptionally(failure);
            }
        }

        boolean isWritten(long deadline, long version) {
            CompletableFuture<Void> waitedFor;
            synchronized (lock) {
                waitedFor = written;
            }
            try {
                waitedFor.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                return true;
            } catch (ExecutionException failure) {
                LOG.warn("the cluster's state {} is not written to {}: {}", version, file, failure.getCause());
            } catch (TimeoutException _) {
                LOG.warn("the cluster's state {} is not written to {} yet: its drive hangs", version, file);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                LOG.warn("interrupted while the cluster's state {} was written to {}", version, file);
            }
            return false;
        }
    }

    /// Makes nothing where no drive is.
    static void write(Path file, byte[] head, byte[] state) throws IOException {
        var folder = Objects.requireNonNull(file.getParent());
        if (!Files.isDirectory(folder)) {
            Files.createDirectory(folder);
        }
        var temporary = file.resolveSibling("state.new");
        Files.deleteIfExists(temporary); // left by a crash, perhaps with other permissions
        try (var channel = FileChannel.open(
                temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY)) {
            writeFully(channel, ByteBuffer.wrap(head));
            writeFully(channel, ByteBuffer.wrap(state));
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static ClusterState read(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        if (bytes.length < HEADER) {
            throw new IOException("too short");
        }
        var head = new String(bytes, 0, HEADER, StandardCharsets.US_ASCII);
        if (!head.startsWith(MAGIC)) {
            throw new IOException(
                    head.startsWith("sluice-state ")
                            ? "made by another version of Sluice; this one reads state files of version 2"
                            : "not a state file");
        }
        if (!head.substring(MAGIC.length()).equals("%08x\n".formatted(crc(bytes, HEADER)))) {
            throw new IOException("checksum does not match");
        }
        return StateCodec.decodeState(Arrays.copyOfRange(bytes, HEADER, bytes.length));
    }

    private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static int crc(byte[] bytes, int from) {
        var crc = new CRC32C();
        crc.update(bytes, from, bytes.length - from);
        return (int) crc.getValue();
    }
}
