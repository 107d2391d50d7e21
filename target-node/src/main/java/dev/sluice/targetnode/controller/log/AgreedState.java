package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.targetnode.controller.raft.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The cluster's state as the entries of the log make it, the same on each controller.
///
/// A snapshot: format (6), the length of what is gathered of an entry in parts (4 bytes), that, the state; no state
/// before the first entry.
final class AgreedState implements Machine {
    private static final byte FORMAT = 6;
    private static final byte[] NO_EFFECT = {0};
    private static final byte[] EFFECT = {1};

    private EntryParts parts = new EntryParts();
    private volatile Optional<ClusterState> newest = Optional.empty();
    private Consensus.Follower follower = (_, _) -> {};

    Optional<ClusterState> newest() {
        return newest;
    }

    synchronized void follow(Consensus.Follower next) {
        follower = next;
        newest.ifPresent(state -> follower.applied(List.of(), state));
    }

    static boolean hadEffect(byte[] answer) {
        return Arrays.equals(answer, EFFECT);
    }

    @Override
    public synchronized byte[] apply(byte[] part) {
        try {
            var entry = parts.add(part);
            var next = entry.flatMap(whole -> whole.appliedTo(newest));
            if (next.isEmpty()) {
                return NO_EFFECT;
            }
            newest = next;
            follower.applied(entry.get().changes(), next.get());
            return EFFECT;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized byte[] snapshot() {
        var gathered = parts.encoded();
        var state = newest.map(StateCodec::encode).orElse(new byte[0]);
        return ByteBuffer.allocate(1 + 4 + gathered.length + state.length)
                .put(FORMAT)
                .putInt(gathered.length)
                .put(gathered)
                .put(state)
                .array();
    }

    @Override
    public synchronized void restore(byte[] snapshot) {
        var in = ByteBuffer.wrap(snapshot);
        if (in.get() != FORMAT) {
            throw new UncheckedIOException(new IOException("a snapshot of the log in an unknown form"));
        }
        var gathered = new byte[in.getInt()];
        in.get(gathered);
        var state = new byte[in.remaining()];
        in.get(state);
        try {
            parts = EntryParts.decode(gathered);
            newest = state.length == 0 ? Optional.empty() : Optional.of(StateCodec.decodeState(state));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        newest.ifPresent(now -> follower.applied(List.of(), now));
    }
}
