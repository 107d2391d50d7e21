package dev.sluice.targetnode.controller.raft;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;

/// A server's part of a log, read without the server, and left as it is: the newest whole snapshot, and the entries
/// after it as far as they are whole and none is missing. It has every entry that this server acknowledged, unless
/// [#lacks] says otherwise; the last ones may not be committed.
///
/// Files of the log are as [TornTail] says.
public final class LogCopy {
    private static final TermIndex NONE = TermIndex.valueOf(0, -1);

    private final RaftFolder folder;
    private final Optional<Path> snapshot;
    private final Instant changed;
    private final TermIndex last;
    private final Optional<String> lacks;

    private LogCopy(RaftFolder folder) throws IOException {
        this.folder = folder;
        this.snapshot = SnapshotFiles.newestWhole(folder.snapshots());
        this.changed = changed(folder);
        var scan = new Scan(folder, snapshot.map(SnapshotFiles::last).orElse(NONE), _ -> {});
        var missing = scan.run();
        this.last = scan.last;
        this.lacks = missing.isPresent() ? missing : cutOff(folder.lostTail(), scan.last.getIndex());
    }

    private static Optional<String> cutOff(LostTail tail, long last) throws IOException {
        tail.open();
        return tail.index().stream()
                .filter(index -> index > last)
                .mapToObj("entry %d was damaged, and is cut off"::formatted)
                .findFirst();
    }

    /// @param root the folder of the server
    /// @throws IOException when it cannot be read, or has nothing of this log
    public static LogCopy read(Path root, LogId log) throws IOException {
        var folder = new RaftFolder(root, log);
        if (!Files.isDirectory(folder.current())) {
            throw new IOException(folder.current() + " is missing: there is nothing of the log " + log);
        }
        var copy = new LogCopy(folder);
        if (copy.index() < 0) {
            throw new IOException(folder.groupFolder() + " has no whole entry and no whole snapshot"
                    + copy.lacks().map(why -> ": " + why).orElse(""));
        }
        return copy;
    }

    /// Of the last entry.
    public long term() {
        return last.getTerm();
    }

    /// Of the last entry.
    public long index() {
        return last.getIndex();
    }

    /// The last entry that is known to be committed: a snapshot has no other. -1 when there is none.
    public long committed() {
        return snapshot.map(file -> SnapshotFiles.last(file).getIndex()).orElse(NONE.getIndex());
    }

    /// When it was written to last.
    public Instant changed() {
        return changed;
    }

    /// What this server had once and the copy does not have, for a person.
    public Optional<String> lacks() {
        return lacks;
    }

    /// The machine has then what the copy has.
    public void applyTo(Machine machine) throws IOException {
        if (snapshot.isPresent()) {
            machine.restore(SnapshotFiles.read(snapshot.get()));
        }
        var _ = new Scan(folder, snapshot.map(SnapshotFiles::last).orElse(NONE), entry -> {
                    if (entry.hasStateMachineLogEntry()) {
                        var _ = machine.apply(
                                entry.getStateMachineLogEntry().getLogData().toByteArray());
                    }
                })
                .run();
    }

    private record Segment(long start, Path file) {}

    private static List<Segment> segments(Path current) throws IOException {
        try (var files = Files.list(current)) {
            return files.flatMap(file -> RaftFolder.start(file).isPresent()
                            ? Stream.of(new Segment(RaftFolder.start(file).getAsLong(), file))
                            : Stream.empty())
                    .sorted(Comparator.comparingLong(Segment::start))
                    .toList();
        }
    }

    /// Finds the entries after one, in order.
    private static final class Scan {
        private final RaftFolder folder;
        private final Consumer<LogEntryProto> found;
        private TermIndex last;

        Scan(RaftFolder folder, TermIndex after, Consumer<LogEntryProto> found) {
            this.folder = folder;
            this.last = after;
            this.found = found;
        }

        private long next() {
            return last.getIndex() + 1;
        }

        /// @return what is not whole, or missing
        Optional<String> run() throws IOException {
            var lacks = Optional.<String>empty();
            for (var segment : segments(folder.current())) {
                if (segment.start() > next()) {
                    return lacks.or(() -> missing(segment.start()));
                }
                lacks = read(segment.file()); // what the file before lacks is in the snapshot
            }
            return lacks;
        }

        private Optional<String> missing(long present) {
            return Optional.of("entries %d to %d are missing: those from %d on do not count"
                    .formatted(next(), present - 1, present));
        }

        private Optional<String> read(Path file) throws IOException {
            var bytes = Files.readAllBytes(file);
            var head = TornTail.HEAD;
            int at = head.length;
            if (bytes.length < at || !Arrays.equals(bytes, 0, at, head, 0, at)) {
                return Optional.of(file + " is no file of a log");
            }
            while (at < bytes.length && bytes[at] != 0) {
                int end = TornTail.end(bytes, at);
                if (end < 0 || end > bytes.length || !TornTail.isWhole(bytes, at, end)) {
                    return Optional.of("entry %d is damaged: %d bytes from byte %d on of %s do not count"
                            .formatted(next(), written(bytes) - at, at, file));
                }
                var entry = LogEntryProto.parseDelimitedFrom(new ByteArrayInputStream(bytes, at, end - at));
                if (entry.getIndex() > next()) {
                    return missing(entry.getIndex());
                }
                if (entry.getIndex() == next() && entry.getTerm() < last.getTerm()) {
                    return Optional.of("entries from %d on are of an earlier term: they were replaced, and do not count"
                            .formatted(next()));
                }
                if (entry.getIndex() == next()) {
                    found.accept(entry);
                    last = TermIndex.valueOf(entry);
                }
                at = end;
            }
            return Optional.empty();
        }
    }

    private static int written(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static Instant changed(RaftFolder folder) throws IOException {
        var newest = Instant.EPOCH;
        try (var files = Files.walk(folder.groupFolder())) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var at = Files.getLastModifiedTime(file).toInstant();
                newest = at.isAfter(newest) ? at : newest;
            }
        }
        return newest;
    }
}
