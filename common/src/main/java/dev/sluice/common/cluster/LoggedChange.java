package dev.sluice.common.cluster;

import java.util.Optional;

/// A change on its way to the nodes that watch. All of them share its bytes.
public final class LoggedChange {
    private final Change change;
    private Optional<byte[]> bytes = Optional.empty();

    public LoggedChange(Change change) {
        this.change = change;
    }

    public Change change() {
        return change;
    }

    /// As [StateCodec] writes it, once. Not to be changed.
    public synchronized byte[] bytes() {
        if (bytes.isEmpty()) {
            bytes = Optional.of(StateCodec.encode(change));
        }
        return bytes.get();
    }
}
