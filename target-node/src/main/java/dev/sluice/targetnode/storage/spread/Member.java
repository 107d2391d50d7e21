package dev.sluice.targetnode.storage.spread;

/// A drive of the target.
///
/// @param path where it was last; empty when another drive took its place
/// @param weight its share of the target's objects, fixed when it was attached
/// @param mount whether a file system of its own was mounted at its path; if nothing is now, it is not there
/// @param disabled by an operator
/// @param leaving detached by an operator: what it has moves to the others first
public record Member(String path, long weight, boolean mount, boolean disabled, boolean leaving) {
    public static Member at(String path, long weight) {
        return at(path, weight, false);
    }

    public static Member at(String path, long weight, boolean mount) {
        return new Member(path, weight, mount, false, false);
    }

    /// Whether it has a path, so that it may be there.
    public boolean isPlaced() {
        return !path.isEmpty();
    }

    Member movedTo(String newPath, boolean isMount) {
        return new Member(newPath, weight, isMount, disabled, leaving);
    }

    Member disabled(boolean now) {
        return new Member(path, weight, mount, now, leaving);
    }

    Member asLeaving() {
        return new Member(path, weight, mount, disabled, true);
    }
}
