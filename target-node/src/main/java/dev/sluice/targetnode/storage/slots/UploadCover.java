package dev.sluice.targetnode.storage.slots;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.targetnode.storage.drive.Drive;
import java.util.List;

/// Which multipart uploads of a bucket a target answers for, as from before it looks.
public interface UploadCover {
    /// Those that may have some.
    List<Drive> drives();

    /// Whether an upload that a drive has counts.
    ///
    /// @param since of its home
    boolean has(String key, String drive, long since);

    SlotCover slots();

    /// To be asked after a look, before it is answered.
    ///
    /// @throws dev.sluice.common.store.StoreException.Unavailable when some right to answer ended meanwhile
    void require();
}
