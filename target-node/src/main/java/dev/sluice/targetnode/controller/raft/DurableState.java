package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.server.storage.RaftStorageMetadataFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes durable what Ratis leaves to the page cache. Ratis syncs its files, but not the names that they get:
/// a vote is a renamed file, and a log's new segment is a new one. So no message leaves this server, and no
/// entry is applied, before {@link #settle}. It costs the listing of one small folder when nothing changed.
final class DurableState {
    private static final Logger LOG = LoggerFactory.getLogger(DurableState.class);
    private static final RaftPeerId UNKNOWN = RaftPeerId.valueOf("unknown");

    /// For a write of Ratis that is under way.
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final RaftFolder folder;
    private Optional<RaftStorageMetadataFile> metadata = Optional.empty();
    private Set<String> synced = Set.of(); // files by name and identity
    private long covered = -1;
    private Optional<VoteRecord> written = Optional.empty();
    private long missing = -1; // the term that the drive does not have
    private long missingSince;

    /// @param left what has left this server before; it is written again unless nothing changed
    DurableState(RaftFolder folder, VoteRecord left) {
        this.folder = folder;
        this.written = left.equals(VoteRecord.NEW) ? Optional.empty() : Optional.of(left);
    }

    synchronized void attach(RaftStorage storage) {
        metadata = Optional.of(storage.getMetadataFile());
    }

    /// Whether there is a configuration, which counts instead of the founders.
    synchronized boolean isConfigured() {
        return written.map(VoteRecord::configured).orElse(false);
    }

    /// Ratis goes on when it could not write its configuration. With an old one this server might elect itself alone.
    synchronized void configure(LogEntryProto entry) throws IOException {
        if (!folder.configuration().filter(entry::equals).isPresent()) {
            SyncedFiles.write(folder.configurationFile(), entry.toByteArray());
        }
    }

    /// Files of the log are about to be deleted. The record must not go on to miss them when this server dies before
    /// it is written again.
    synchronized void forgetSegment() throws IOException {
        if (written.filter(record -> record.segment() >= 0).isPresent()) {
            var next = written.get().withoutSegment();
            SyncedFiles.write(folder.record(), next.encoded());
            written = Optional.of(next);
        }
    }

    /// A snapshot up to this entry was received: files of the log that begin before it may be deleted at any time.
    synchronized void covered(long index) {
        covered = Math.max(covered, index);
    }

    /// @param said the newest term that the message, or the entry, names; 0 when it names none
    synchronized void settle(long said) throws IOException {
        requireTerm(said);
        var meta = metadataFile().getMetadata();
        var names = SyncedFiles.names(folder.current());
        var next = new VoteRecord(
                meta.getTerm(),
                meta.getVotedFor().equals(UNKNOWN) ? "" : meta.getVotedFor().toString(),
                names.contains("raft-meta.conf"),
                RaftFolder.newestSegment(names).stream()
                        .filter(start -> start > covered)
                        .findFirst()
                        .orElse(-1));
        var changed = !written.equals(Optional.of(next));
        if (synced.isEmpty()) {
            folder.syncParents();
        }
        var files = SyncedFiles.identities(folder.current(), names);
        if (changed || !files.equals(synced)) {
            SyncedFiles.sync(folder.current());
            synced = files;
        }
        if (changed) {
            SyncedFiles.write(folder.record(), next.encoded());
            written = Optional.of(next);
        }
    }

    /// Ratis goes on in memory with a term that it could not write, and does not write it again: after a restart this
    /// server would vote in it twice. What it would have written of its vote is not known here, so that the term is
    /// written with one for nobody that there is: after a restart it votes in it no more.
    ///
    /// @throws IOException for as long as Ratis may be writing it just now, with its vote
    private void requireTerm(long said) throws IOException {
        var file = metadataFile();
        if (file.getMetadata().getTerm() >= said) {
            return;
        }
        long now = System.nanoTime();
        if (missing != said) {
            missing = said;
            missingSince = now;
        }
        if (now - missingSince < PATIENCE.toNanos()) {
            throw new IOException("the term %d is not on the drive yet".formatted(said));
        }
        LOG.warn("the term {} was not written: it is now, with a vote for nobody", said);
        file.persist(RaftStorageMetadata.valueOf(said, UNKNOWN));
    }

    private RaftStorageMetadataFile metadataFile() throws IOException {
        return metadata.orElseThrow(() -> new IOException("the log is not open yet"));
    }

    /// After Ratis put another folder of snapshots in place.
    synchronized void settleSnapshots() throws IOException {
        SyncedFiles.sync(folder.snapshots());
        SyncedFiles.sync(folder.groupFolder());
    }

    /// Ratis does not sync the chunks of a snapshot that it got.
    void settleReceivedSnapshot(RaftStorage storage) throws IOException {
        var received = storage.getStorageDir().getTmpDir().toPath();
        if (received.toFile().exists()) {
            SyncedFiles.syncAll(received);
        }
    }
}
