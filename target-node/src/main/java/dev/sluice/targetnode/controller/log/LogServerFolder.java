package dev.sluice.targetnode.controller.log;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.RatisConsensus;
import dev.sluice.targetnode.controller.raft.SyncedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/// A folder `.sluice/control/raft` on a drive: the file `server` says whose it is, and in `log` is what Raft keeps.
///
/// The file: `sluice-server 1 <CRC32C of the rest, 8 hex digits> `, then the id of the server, whether it began the log
/// (`founder` or `joined`), when the folder was made, in milliseconds, and the id of the log. Folders of earlier builds
/// have no id: their log is [LogId#UNNAMED]. Where logs are barred the format is 2: then come the name of the folder in
/// which Raft keeps the log, and the ids of the barred logs, with commas between.
///
/// @param kept the name of the folder with what Raft keeps: a log that begins again has one beside the old one
/// @param barred logs that were replaced by others. With its own among them, the folder is not used any more
record LogServerFolder(
        StateDrive drive, String server, boolean founder, long made, LogId logId, String kept, Set<LogId> barred) {
    static final String LOG = "log";
    private static final String MAGIC = "sluice-server ";
    private static final int HEAD = MAGIC.length() + 2;

    LogServerFolder {
        barred = Set.copyOf(barred);
    }

    static Path control(StateDrive drive) {
        return drive.path().resolve(".sluice/control");
    }

    static Path of(StateDrive drive) {
        return control(drive).resolve("raft");
    }

    private static Path file(StateDrive drive) {
        return of(drive).resolve("server");
    }

    Path log() {
        return of(drive).resolve(kept);
    }

    boolean hasRecord() {
        return RatisConsensus.hasRecord(log());
    }

    /// With another id than any before.
    private static LogServerFolder named(
            StateDrive drive, NodeId node, boolean founder, LogId logId, String kept, Set<LogId> barred) {
        var random = new byte[4];
        ThreadLocalRandom.current().nextBytes(random);
        return new LogServerFolder(
                drive,
                node + "." + HexFormat.of().formatHex(random),
                founder,
                System.currentTimeMillis(),
                logId,
                kept,
                barred);
    }

    /// Durable when it returns.
    static LogServerFolder make(StateDrive drive, NodeId node, boolean founder, LogId logId, Set<LogId> barred)
            throws IOException {
        var made = named(drive, node, founder, logId, LOG, barred);
        Files.createDirectories(of(drive));
        made.write();
        SyncedFiles.sync(control(drive));
        SyncedFiles.sync(drive.path().resolve(".sluice"));
        return made;
    }

    /// The same folder with a server of a new log, beside what Raft keeps of the old one. It counts when it is written.
    LogServerFolder replaced(Set<LogId> replaced) {
        var log = LogId.random();
        return named(drive, RaftLog.node(server), true, log, LOG + "-" + log, union(barred, replaced));
    }

    /// The same with more logs that are barred.
    LogServerFolder barring(Set<LogId> more) {
        return new LogServerFolder(drive, server, founder, made, logId, kept, union(barred, more));
    }

    private static Set<LogId> union(Set<LogId> some, Set<LogId> others) {
        var all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /// Durable when it returns.
    void write() throws IOException {
        var text = "%s %s %d %s".formatted(server, founder ? "founder" : "joined", made, logId);
        int format = 1;
        if (!barred.isEmpty() || !kept.equals(LOG)) {
            format = 2;
            text += " %s %s"
                    .formatted(
                            kept, barred.stream().map(LogId::toString).sorted().collect(Collectors.joining(",")));
        }
        var rest = text + "\n";
        SyncedFiles.write(
                file(drive),
                "%s%d %s %s".formatted(MAGIC, format, checksum(rest), rest).getBytes(StandardCharsets.UTF_8));
    }

    private static String checksum(String text) {
        var crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted((int) crc.getValue());
    }

    /// @throws IOException when it is damaged, or another node's
    static LogServerFolder read(StateDrive drive, NodeId node) throws IOException {
        var folder = read(drive);
        if (!RaftLog.node(folder.server).equals(node)) {
            throw new IOException(of(drive) + " is of " + folder.server + ", not of " + node);
        }
        return folder;
    }

    /// Of whichever node.
    ///
    /// @throws IOException when it is damaged
    static LogServerFolder read(StateDrive drive) throws IOException {
        String content;
        try {
            content = Files.readString(file(drive));
        } catch (NoSuchFileException _) {
            throw new IOException(file(drive) + " is missing");
        }
        int rest = HEAD + 8 + 1;
        if (content.length() <= rest
                || !content.startsWith(MAGIC)
                || !content.substring(HEAD).equals(checksum(content.substring(rest)) + " " + content.substring(rest))) {
            throw new IOException(file(drive) + " is damaged");
        }
        var words = content.substring(rest).trim().split(" ");
        return switch (content.substring(MAGIC.length(), HEAD)) {
            case "1 " -> of(drive, words, LOG, Set.of());
            case "2 " -> of(drive, words, words[4], barred(words));
            default -> throw new IOException(file(drive) + " is of a newer build");
        };
    }

    private static LogServerFolder of(StateDrive drive, String[] words, String kept, Set<LogId> barred) {
        var logId = words.length > 3 ? LogId.of(words[3]) : LogId.UNNAMED;
        return new LogServerFolder(
                drive, words[0], words[1].equals("founder"), Long.parseLong(words[2]), logId, kept, barred);
    }

    private static Set<LogId> barred(String[] words) {
        return words.length > 5
                ? Arrays.stream(words[5].split(",")).map(LogId::of).collect(Collectors.toUnmodifiableSet())
                : Set.of();
    }
}
