package dev.sluice.targetnode.admin;

import dev.sluice.targetnode.expiry.ExpirySettings;
import dev.sluice.targetnode.object.ObjectSizeLimit;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;

/// @param limit of what clients write; what the cloud has is taken as it is
/// @param scrubbing how the drives are scrubbed
/// @param resilvering how keys are brought to where they belong
/// @param expiry when expired objects are deleted
/// @param encryptedDrives whether the operator says that all drives are encrypted below Sluice
public record TargetSettings(
        ObjectSizeLimit limit,
        ScrubSettings scrubbing,
        ResilverSettings resilvering,
        ExpirySettings expiry,
        boolean encryptedDrives) {}
