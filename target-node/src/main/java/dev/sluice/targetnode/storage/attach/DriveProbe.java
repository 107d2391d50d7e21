package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveFullException;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;

/// Tries whether a file system can do what Sluice needs: attributes of 3.5 KiB, and a rename that replaces.
final class DriveProbe {
    private static final int ATTRIBUTE = 3584;

    private DriveProbe() {}

    static void check(String drive, DriveFiles files, String folder) {
        var name = folder + "/probe-" + UUID.randomUUID();
        var other = name + "-renamed";
        try {
            files.create(other).close();
            files.create(name).close();
            var value = new byte[ATTRIBUTE];
            Arrays.fill(value, (byte) 's');
            files.setAttribute(name, value);
            files.rename(name, other);
            if (!Arrays.equals(files.attribute(other).orElseThrow(), value) || files.isFile(name)) {
                throw new IOException("the attribute did not come along with the rename");
            }
            files.open(other).close();
            files.delete(other);
        } catch (DriveFullException full) {
            throw new DriveRefusedException(
                    "drive %s is full, to the last block (%s): make some room on its file system"
                            .formatted(drive, full.getMessage()));
        } catch (IOException | RuntimeException failure) {
            throw new DriveRefusedException(("drive %s: its file system does not keep extended attributes of %d bytes "
                            + "through an atomic rename (%s); use ext4, xfs or btrfs")
                    .formatted(drive, ATTRIBUTE, failure));
        }
    }
}
