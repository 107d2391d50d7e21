package dev.sluice.targetnode.controller.files;

import java.nio.file.Path;

/// A drive of the controller's node, as the node knows it now.
///
/// @param id stays the same wherever the drive is mounted
/// @param keeps whether the state is to be kept there: not on a drive that leaves or is disabled
/// @param presence looks whether this drive is there, and no other one
public record StateDrive(String id, Path path, boolean keeps, Presence presence) {
    /// Called on drive threads.
    @FunctionalInterface
    public interface Presence {
        /// @throws RuntimeException with one line that says what is there instead
        public void require();
    }

    public Path file() {
        return path.resolve(".sluice/control/state");
    }

    @Override
    public String toString() {
        return path.toString().isEmpty() ? id : id + " at " + path;
    }
}
