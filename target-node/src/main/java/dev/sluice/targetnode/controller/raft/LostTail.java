package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The last entry of this server's log, when it is damaged: a power cut within it may have done that, and then nobody
/// counts on it; but it may have been acknowledged too. So until a leader has brought the log past that entry, the
/// server is no candidate, and votes only for a log that reaches it in the term that it knew, or ends in a newer one. A
/// majority that has acknowledged the entry then still has a leader in common with each later one.
///
/// The file: `sluice lost tail 1`, `index N`, `term N`, `crc32c HEX`, a line each. It is there before the damaged entry
/// is cut off.
final class LostTail {
    private static final Logger LOG = LoggerFactory.getLogger(LostTail.class);
    private static final String HEAD = "sluice lost tail 1";

    /// @param term the newest that the server knew: that of the entry is not newer
    record Entry(long index, long term) {
        private byte[] encoded() {
            var text = "%s\nindex %d\nterm %d\n".formatted(HEAD, index, term);
            var crc = new CRC32C();
            crc.update(text.getBytes(StandardCharsets.UTF_8));
            return (text + "crc32c " + Long.toHexString(crc.getValue()) + "\n").getBytes(StandardCharsets.UTF_8);
        }

        private static Entry decode(Path file, byte[] bytes) throws IOException {
            var lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
            try {
                var entry = new Entry(
                        Long.parseLong(lines[1].substring("index ".length())),
                        Long.parseLong(lines[2].substring("term ".length())));
                if (Arrays.equals(bytes, entry.encoded())) {
                    return entry;
                }
            } catch (IndexOutOfBoundsException | NumberFormatException _) {
                // as damaged as with a wrong checksum
            }
            throw new IOException(file + " is damaged: which entries this server lost is not known");
        }

        /// A log with an entry of a newer term has all that was committed in this one.
        private boolean isReachedBy(long lastTerm, long lastIndex) {
            return lastTerm > term || (lastTerm == term && lastIndex >= index);
        }
    }

    private final Path file;
    private volatile Optional<Entry> lost = Optional.empty();

    LostTail(Path file) {
        this.file = file;
    }

    void open() throws IOException {
        try {
            lost = Optional.of(Entry.decode(file, Files.readAllBytes(file)));
        } catch (NoSuchFileException _) {
            lost = Optional.empty();
        }
    }

    /// Durable when it returns.
    void lose(long index, long term) throws IOException {
        var now = new Entry(
                Math.max(index, lost.map(Entry::index).orElse(0L)),
                Math.max(term, lost.map(Entry::term).orElse(0L)));
        SyncedFiles.write(file, now.encoded());
        lost = Optional.of(now);
    }

    /// The index of that entry.
    OptionalLong index() {
        return lost.isPresent() ? OptionalLong.of(lost.get().index()) : OptionalLong.empty();
    }

    /// What keeps this server from leading, for a person.
    Optional<String> trouble() {
        return lost.map(entry -> "the last entry of its log, %d, is damaged: it leads again when another leader has"
                        .formatted(entry.index())
                + " brought it past that");
    }

    void requireNone() throws IOException {
        var why = trouble();
        if (why.isPresent()) {
            throw new IOException(why.get());
        }
    }

    /// @param last entry of the candidate's log
    void requireReachedBy(TermIndexProto last) throws IOException {
        var entry = lost;
        if (entry.isPresent() && !entry.get().isReachedBy(last.getTerm(), last.getIndex())) {
            throw new IOException("no vote for a log that ends at entry %d of term %d: this server lost entry %d of a"
                            .formatted(
                                    last.getIndex(), last.getTerm(), entry.get().index())
                    + " term up to " + entry.get().term());
        }
    }

    /// @param last entry that is on the drive, which a leader brought
    synchronized void reached(TermIndex last) throws IOException {
        var entry = lost;
        if (entry.isPresent() && entry.get().isReachedBy(last.getTerm(), last.getIndex())) {
            Files.deleteIfExists(file);
            SyncedFiles.sync(Objects.requireNonNull(file.getParent()));
            lost = Optional.empty();
            LOG.info(
                    "a leader brought the log past entry {}, which was damaged",
                    entry.get().index());
        }
    }
}
