package dev.sluice.targetnode.storage.attach;

/// Another process, or another part of this one, has the drive.
public final class DriveInUseException extends DriveRefusedException {
    public DriveInUseException(String message) {
        super(message);
    }
}
