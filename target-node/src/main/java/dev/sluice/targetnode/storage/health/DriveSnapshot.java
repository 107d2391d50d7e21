package dev.sluice.targetnode.storage.health;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import java.util.Optional;

/// A drive at one moment. Who asks several things about drives that must agree asks them of one of these: a drive may
/// come back between two looks at its slot.
///
/// @param drive empty when it is not open
record DriveSnapshot(String id, DriveStatus status, Optional<Drive> drive) {
    Optional<Drive> readable() {
        return status.state().reads() ? drive : Optional.empty();
    }

    Optional<Drive> writable() {
        return status.state().writes() ? drive : Optional.empty();
    }

    Drive toWrite() {
        return writable().orElseThrow(this::unavailable);
    }

    StoreException.Unavailable unavailable() {
        return new StoreException.Unavailable("drive " + id + " is " + status.state());
    }
}
