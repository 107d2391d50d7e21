package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where a server keeps its log: `record` is ours, `ratis/LOG_ID/` is Ratis' with `current/` (term, vote, log)
/// and `sm/` (snapshots). Ratis formats a folder that it finds empty, without a word, and opens each log that it finds
/// beside; so this class looks first.
final class RaftFolder {
    private static final Pattern SEGMENT = Pattern.compile("log_(?:inprogress_)?(\\d+)(?:-\\d+)?");
    private static final String ASIDE = "sm.tmp";

    private static final Logger LOG = LoggerFactory.getLogger(RaftFolder.class);

    private final Path root;
    private final LogId log;
    private final LostTail lostTail;

    RaftFolder(Path root, LogId log) {
        this.root = root;
        this.log = log;
        this.lostTail = new LostTail(root.resolve("lost-tail"));
    }

    /// Known when the folder is open.
    LostTail lostTail() {
        return lostTail;
    }

    static Path record(Path root) {
        return root.resolve("record");
    }

    Path record() {
        return record(root);
    }

    Path storage() {
        return root.resolve("ratis");
    }

    Path removed() {
        return root.resolve("removed");
    }

    Path groupFolder() {
        return storage().resolve(log.toString());
    }

    Path current() {
        return groupFolder().resolve("current");
    }

    Path configurationFile() {
        return current().resolve("raft-meta.conf");
    }

    /// The servers of the log, as Ratis keeps them; empty when it does not, or not readably.
    Optional<LogEntryProto> configuration() throws IOException {
        if (!Files.exists(configurationFile())) {
            return Optional.empty();
        }
        try {
            return Optional.of(LogEntryProto.parseFrom(Files.readAllBytes(configurationFile())))
                    .filter(LogEntryProto::hasConfigurationEntry);
        } catch (InvalidProtocolBufferException damaged) {
            LOG.error("{} is damaged", configurationFile(), damaged);
            return Optional.empty();
        }
    }

    Path snapshots() {
        return groupFolder().resolve("sm");
    }

    /// @return what has left this server before
    VoteRecord open() throws IOException {
        Files.createDirectories(
                root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(storage());
        requireNoOtherLog();
        if (!Files.exists(record())) {
            return VoteRecord.NEW; // Ratis may have formatted its folder, but nothing left this server
        }
        var record = VoteRecord.decode(record(), Files.readAllBytes(record()));
        if (!Files.exists(current().resolve("raft-meta"))) {
            throw lost("raft-meta");
        }
        checkVote(record);
        repairSnapshots();
        checkLog(record);
        lostTail.open();
        var newest = newestSegment(SyncedFiles.names(current()));
        if (newest.isPresent() && Files.exists(inProgress(newest.getAsLong()))) {
            cutTornTail(newest.getAsLong());
            if (TornTail.isWithoutEntries(inProgress(newest.getAsLong()))) {
                record = record.withoutSegment(); // Ratis deletes it
                SyncedFiles.write(record(), record.encoded());
            }
        }
        SyncedFiles.syncAll(groupFolder()); // what a killed process wrote last may be in the page cache only
        return record;
    }

    private Path inProgress(long start) {
        return current().resolve("log_inprogress_" + start);
    }

    /// @param start first index of the file that entries were written to last
    private void cutTornTail(long start) throws IOException {
        var file = inProgress(start);
        var torn = TornTail.find(file);
        if (torn.isEmpty()) {
            return;
        }
        if (torn.get().ends()) {
            long index = start + torn.get().before();
            if (hasNoOtherServer() || index <= SnapshotFiles.newest(snapshots()).orElse(-1)) {
                throw lost("a whole entry " + index);
            }
            lostTail.lose(index, term(meta()));
        }
        TornTail.cut(file, torn.get());
    }

    /// It would elect itself, also while the first other one is added. Not known before there is a configuration.
    private boolean hasNoOtherServer() throws IOException {
        return configuration()
                .map(LogEntryProto::getConfigurationEntry)
                .filter(servers -> servers.getPeersCount() > 1 && servers.getOldPeersCount() != 1)
                .isEmpty();
    }

    private void requireNoOtherLog() throws IOException {
        for (var name : SyncedFiles.names(storage())) {
            if (!name.equals(log.toString()) && Files.isDirectory(storage().resolve(name))) {
                throw new IOException("%s is of another log: this server is of the log %s. Move it out of %s"
                        .formatted(storage().resolve(name), log, root));
            }
        }
    }

    /// Makes the way to the log durable.
    void syncParents() throws IOException {
        SyncedFiles.sync(groupFolder());
        SyncedFiles.sync(storage());
        SyncedFiles.sync(root);
        SyncedFiles.sync(root.resolve(".."));
    }

    private Properties meta() throws IOException {
        var meta = new Properties();
        try (var in = Files.newBufferedReader(current().resolve("raft-meta"))) {
            meta.load(in);
        }
        return meta;
    }

    private static long term(Properties meta) {
        return Long.parseLong(meta.getProperty("term", "-1"));
    }

    private void checkVote(VoteRecord record) throws IOException {
        var meta = meta();
        var term = term(meta);
        var votedFor = meta.getProperty("votedFor", "");
        if (!record.isCoveredBy(term, votedFor)) {
            throw new LostVote("%s has term %d and a vote for '%s', but %s says that term %d with a vote for '%s' left"
                            .formatted(current(), term, votedFor, record(), record.term(), record.votedFor())
                    + " this server: its folder is an old copy, or its drive lost writes. It does not start.");
        }
    }

    private void checkLog(VoteRecord record) throws IOException {
        var names = SyncedFiles.names(current());
        if (record.configured() && configuration().isEmpty()) {
            throw lost("a whole raft-meta.conf");
        }
        var start = firstEntry(names);
        var snapshot = SnapshotFiles.newest(snapshots());
        if (record.segment() > newestSegment(names).orElse(-1)) {
            throw lost("the newest part of the log, from entry " + record.segment() + " on,");
        }
        if (start.isPresent() && start.getAsLong() > snapshot.orElse(-1) + 1) {
            throw lost("a valid snapshot of the entries before " + start.getAsLong());
        }
    }

    static OptionalLong newestSegment(Set<String> names) {
        return segments(names).max();
    }

    private static OptionalLong firstEntry(Set<String> names) {
        return segments(names).min();
    }

    /// The first index of a file of the log; empty when it is none.
    static OptionalLong start(Path file) {
        var name = SEGMENT.matcher(Objects.requireNonNull(file.getFileName()).toString());
        return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
    }

    private static LongStream segments(Set<String> names) {
        return names.stream()
                .map(SEGMENT::matcher)
                .filter(name -> name.matches())
                .mapToLong(name -> Long.parseLong(name.group(1)));
    }

    /// Ratis puts the old folder of snapshots aside, then the new one in its place; a crash may come between.
    private void repairSnapshots() throws IOException {
        for (var name : SyncedFiles.names(groupFolder())) {
            if (name.startsWith(ASIDE) && Files.exists(snapshots())) {
                SyncedFiles.deleteAll(groupFolder().resolve(name));
            } else if (name.startsWith(ASIDE)) {
                Files.move(groupFolder().resolve(name), snapshots());
            }
        }
        SyncedFiles.deleteAll(groupFolder().resolve("tmp"));
        Files.createDirectories(snapshots());
        SnapshotFiles.dropInvalid(snapshots());
        SyncedFiles.sync(groupFolder());
    }

    private LostLogException lost(String what) {
        return new LostLogException(
                "%s once took part in a log, as %s says, but %s is not there. It does not start: with less than"
                                .formatted(root, Objects.requireNonNull(record().getFileName()), what)
                        + " it acknowledged, the log could lose entries. Restore the folder, or replace this server.");
    }
}
