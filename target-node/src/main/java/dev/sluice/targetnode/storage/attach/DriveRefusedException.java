package dev.sluice.targetnode.storage.attach;

/// A drive or a set of drives that must not be used as it is; the message is one line for the operator.
public sealed class DriveRefusedException extends RuntimeException permits DriveInUseException {
    public DriveRefusedException(String message) {
        super(message);
    }
}
