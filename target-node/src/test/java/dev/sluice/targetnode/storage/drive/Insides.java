package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What tests look at, or spoil, behind a drive's face.
public final class Insides {
    private Insides() {}

    public static DriveIndex index(Drive drive) {
        return drive.contents().index();
    }

    /// @return for each why it was not done
    static List<Optional<IOException>> commit(Contents contents, List<Prepared> group) throws IOException {
        var writes = group.stream().<DriveWrite>map(DriveWrite.Whole::new).toList();
        contents.decide(writes);
        return contents.fulfil(writes);
    }

    public static DriveStore store(DriveFiles files, DriveIndex index) {
        return new DriveStore(new Contents(files, index));
    }
}
