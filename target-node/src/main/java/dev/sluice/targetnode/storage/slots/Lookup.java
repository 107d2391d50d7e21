package dev.sluice.targetnode.storage.slots;

import dev.sluice.targetnode.storage.hotset.StoredObject;

/// What a target finds when it looks for an object on its own drives.
public sealed interface Lookup {
    /// @param object to be closed by the receiver
    record Hit(StoredObject object) implements Lookup {}

    /// It is stored here, but what is on the drive is not what was written.
    record Damaged(String why) implements Lookup {}

    /// Whether it is stored here, and which version, only drives know that cannot be read now.
    record Unknown(String why) implements Lookup {}

    record Miss() implements Lookup {}
}
