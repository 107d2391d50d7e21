package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.slots.UploadCover;
import java.util.List;

/// All that drives of this target have, which no other one answers for.
record LocalUploads(List<Drive> drives) implements UploadCover {
    LocalUploads {
        drives = List.copyOf(drives);
    }

    @Override
    public boolean has(String key, String drive, long since) {
        return true;
    }

    @Override
    public SlotCover slots() {
        return SlotCover.NONE;
    }

    @Override
    public void require() {}
}
