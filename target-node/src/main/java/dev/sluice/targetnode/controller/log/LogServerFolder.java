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
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;

/// A folder `.sluice/control/raft` on a drive: the file `server` says whose it is, and in `log` is what Raft keeps.
///
/// The file: `sluice-server 1 <CRC32C of the rest, 8 hex digits> `, then the id of the server, whether it began the log
/// (`founder` or `joined`), when the folder was made, in milliseconds, and the id of the log. Folders of earlier builds
/// have no id: their log is [LogId#UNNAMED].
record LogServerFolder(StateDrive drive, String server, boolean founder, long made, LogId logId) {
    private static final String MAGIC = "sluice-server 1 ";

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
        return of(drive).resolve("log");
    }

    boolean hasRecord() {
        return RatisConsensus.hasRecord(log());
    }

    /// With another id than any before. Durable when it returns.
    static LogServerFolder make(StateDrive drive, NodeId node, boolean founder, LogId logId) throws IOException {
        var random = new byte[4];
        ThreadLocalRandom.current().nextBytes(random);
        var made = new LogServerFolder(
                drive, node + "." + HexFormat.of().formatHex(random), founder, System.currentTimeMillis(), logId);
        Files.createDirectories(of(drive));
        var text = "%s %s %d %s\n".formatted(made.server, founder ? "founder" : "joined", made.made, logId);
        SyncedFiles.write(file(drive), (MAGIC + checksum(text) + " " + text).getBytes(StandardCharsets.UTF_8));
        SyncedFiles.sync(control(drive));
        SyncedFiles.sync(drive.path().resolve(".sluice"));
        return made;
    }

    private static String checksum(String text) {
        var crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted((int) crc.getValue());
    }

    /// @throws IOException when it is damaged, or another node's
    static LogServerFolder read(StateDrive drive, NodeId node) throws IOException {
        String content;
        try {
            content = Files.readString(file(drive));
        } catch (NoSuchFileException _) {
            throw new IOException(file(drive) + " is missing");
        }
        int rest = MAGIC.length() + 8 + 1;
        if (content.length() <= rest
                || !content.equals(MAGIC + checksum(content.substring(rest)) + " " + content.substring(rest))) {
            throw new IOException(file(drive) + " is damaged");
        }
        var words = content.substring(rest).trim().split(" ");
        if (!RaftLog.node(words[0]).equals(node)) {
            throw new IOException(of(drive) + " is of " + words[0] + ", not of " + node);
        }
        var logId = words.length > 3 ? LogId.of(words[3]) : LogId.UNNAMED;
        return new LogServerFolder(drive, words[0], words[1].equals("founder"), Long.parseLong(words[2]), logId);
    }
}
