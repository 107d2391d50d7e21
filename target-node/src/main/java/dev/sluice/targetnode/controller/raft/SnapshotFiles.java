package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.MD5FileUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Snapshots as Ratis wants them: `snapshot.TERM_INDEX` and its MD5 beside it. Ours start with a version marker.
final class SnapshotFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);
    private static final byte[] HEAD = "sluice raft snapshot 1\n".getBytes(StandardCharsets.UTF_8);

    private SnapshotFiles() {}

    /// Durable when it returns. Without its MD5, which is written last, it is no snapshot.
    static SingleFileSnapshotInfo write(Path file, TermIndex last, byte[] state) throws IOException {
        SyncedFiles.write(file, HEAD, state);
        var digest = MD5FileUtil.computeMd5ForFile(file.toFile());
        MD5FileUtil.saveMD5File(file.toFile(), digest);
        SyncedFiles.sync(file.resolveSibling("."));
        return new SingleFileSnapshotInfo(new FileInfo(file, digest), last);
    }

    static byte[] read(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        if (bytes.length < HEAD.length || !Arrays.equals(HEAD, 0, HEAD.length, bytes, 0, HEAD.length)) {
            throw new IOException(file + " is not a snapshot of this version");
        }
        return Arrays.copyOfRange(bytes, HEAD.length, bytes.length);
    }

    /// Ratis looks only whether there is an MD5. What has a wrong one is kept under another name.
    static void dropInvalid(Path folder) throws IOException {
        for (var file : all(folder)) {
            var stored = MD5FileUtil.readStoredMd5ForFile(file.toFile());
            if (stored == null) {
                Files.delete(file);
            } else if (!stored.equals(MD5FileUtil.computeMd5ForFile(file.toFile()))) {
                LOG.error("{} does not match its MD5: an older snapshot is used", file);
                Files.move(file, file.resolveSibling(file.getFileName() + ".corrupt"), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    static OptionalLong newest(Path folder) throws IOException {
        return all(folder).stream().mapToLong(file -> last(file).getIndex()).max();
    }

    /// The newest one that matches its MD5. Changes nothing.
    static Optional<Path> newestWhole(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        var newestFirst =
                Comparator.comparingLong((Path file) -> last(file).getIndex()).reversed();
        for (var file : all(folder).stream().sorted(newestFirst).toList()) {
            var stored = MD5FileUtil.readStoredMd5ForFile(file.toFile());
            if (stored != null && stored.equals(MD5FileUtil.computeMd5ForFile(file.toFile()))) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /// The last entry that a snapshot has.
    static TermIndex last(Path file) {
        return SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file.toFile());
    }

    private static List<Path> all(Path folder) throws IOException {
        return SyncedFiles.names(folder).stream()
                .filter(name ->
                        SimpleStateMachineStorage.SNAPSHOT_REGEX.matcher(name).matches())
                .map(folder::resolve)
                .toList();
    }
}
