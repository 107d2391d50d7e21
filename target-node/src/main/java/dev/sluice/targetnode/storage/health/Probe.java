package dev.sluice.targetnode.storage.health;

import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;

/// Tries a drive: is it there and the same; can it be listed; does what is written, synced and read back past the
/// page cache come back. A drive that is full is sound. On a drive thread.
final class Probe {
    private static final int BYTES = 64 << 10;

    private final Attachment drive;
    private final Random random = new Random();

    Probe(Attachment drive) {
        this.drive = drive;
    }

    ProbeResult run() {
        return looking(this::write);
    }

    /// The half of it that writes nothing.
    ProbeResult look() {
        return looking(_ -> ProbeResult.SOUND);
    }

    private ProbeResult looking(Function<DriveFiles, ProbeResult> further) {
        try {
            drive.requireSame();
            try (var files = drive.files()) {
                return hasObjects(files)
                        ? further.apply(files)
                        : ProbeResult.failed("the folder " + Layout.OBJECTS + " is gone");
            }
        } catch (DriveRefusedException refused) {
            var why = String.valueOf(refused.getMessage());
            return drive.isReplaced() ? ProbeResult.replaced(why) : ProbeResult.failed(why);
        } catch (IOException | RuntimeException failure) {
            return ProbeResult.failed("reading fails: " + failure.getMessage());
        }
    }

    /// Reads names until it comes: whether the drive's own folder can be read is part of the question.
    private static boolean hasObjects(DriveFiles files) throws IOException {
        try (var walk = files.walk("")) {
            for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                if (batch.contains(Layout.OBJECTS + "/")) {
                    return true;
                }
            }
            return false;
        }
    }

    private ProbeResult write(DriveFiles files) {
        var name = Layout.WORK + "/probe-" + UUID.randomUUID();
        var content = new byte[BYTES];
        random.nextBytes(content);
        try (var file = files.create(name)) {
            file.write(0, ByteBuffer.wrap(content));
            return synced(files, name, file, content);
        } catch (DriveFullException _) {
            return ProbeResult.SOUND;
        } catch (IOException | RuntimeException failure) {
            return ProbeResult.onlyReads("writing fails: " + failure.getMessage());
        } finally {
            deleteQuietly(files, name);
        }
    }

    private ProbeResult synced(DriveFiles files, String name, DriveFile file, byte[] content) {
        try {
            file.sync();
            files.syncFolder(Layout.WORK);
        } catch (DriveFullException _) {
            return ProbeResult.SOUND;
        } catch (IOException failure) {
            return ProbeResult.failed("sync fails: " + failure.getMessage());
        }
        try {
            var read = ByteBuffer.allocate(BYTES);
            var uncached = DriveFile.uncachedBuffer(BYTES);
            try (var reader = files.open(name)) {
                reader.read(0, read);
                reader.readUncached(0, uncached);
            }
            return isSame(content, read.flip()) && isSame(content, uncached.flip())
                    ? ProbeResult.SOUND
                    : ProbeResult.failed("what is written does not come back");
        } catch (IOException failure) {
            return ProbeResult.failed("reading back fails: " + failure.getMessage());
        }
    }

    private static boolean isSame(byte[] content, ByteBuffer read) {
        return ByteBuffer.wrap(content).equals(read);
    }

    /// What stays goes at the next start; a drive that cannot delete cannot write either, and the next probe says so.
    private void deleteQuietly(DriveFiles files, String name) {
        try {
            files.delete(name);
        } catch (IOException | RuntimeException failure) {
            DriveWatch.LOG.warn("drive {}: the probe's file {} stays", drive.id(), name, failure);
        }
    }
}
