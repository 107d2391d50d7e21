package dev.sluice.targetnode.storage.health;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.KeptWritesMark;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveFiles;
import java.io.IOException;
import java.nio.file.Path;

/// One drive's place in the target, at which it can be taken and let go. All but [#id], [#path] and [#whenChanged] are
/// for drive threads.
public interface Attachment {
    String id();

    /// Where it was last.
    Path path();

    /// Run after each change of the drive's state; must not block.
    void whenChanged();

    /// Its files, opened for a probe, which closes them.
    DriveFiles files() throws IOException;

    /// Writes nothing.
    ///
    /// @throws IOException with one line when this drive is not at its path
    void requireSame() throws IOException;

    /// Whether another drive, which is nobody's, is where this one was.
    boolean isReplaced();

    /// Takes the other one, which ends up in a slot of its own. Does not wait for that.
    void takeReplacement();

    /// Locks the drive after [#release], if it is still the same.
    void takeAgain() throws IOException;

    /// Opens its index and files, with nothing known of before.
    ///
    /// @param newIndex whether the index it has is not to be trusted
    Drive open(Suspicion suspicion, boolean newIndex) throws IOException;

    /// For the next time it is opened.
    KeptWritesMark keptWrites();

    /// Lets go of a drive that is closed.
    void release() throws IOException;

    /// The same when the target stops in order.
    void releaseAtEnd() throws IOException;
}
