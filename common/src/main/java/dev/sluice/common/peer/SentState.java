package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.LoggedChange;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The cluster's state, or changes of it, on the way from the controller to another node: without the clients' secret
/// keys, which go beside a state, sealed with the cluster's key, to nodes that verify signatures.
///
/// In bytes: the length of the head, the head in JSON, then as many lengths and parts as the head says; all lengths
/// in 4 bytes. The parts are one state or changes, as [StateCodec] writes them.
public final class SentState {
    /// @param changes whether the parts are changes
    /// @param sealedCredentials empty where the node has no use for them
    private record Head(boolean changes, int parts, Optional<String> sealedCredentials, Leadership leadership) {}

    /// The credentials alone, in JSON.
    private record Credentials(SortedMap<String, String> keys) {
        @Override
        public String toString() {
            return keys.keySet() + " with their secrets";
        }
    }

    private SentState() {}

    /// @param verifies whether the receiver verifies clients' signatures
    public static byte[] seal(ControllerService.Told told, boolean verifies, SealedSecrets secrets) {
        return switch (told.update()) {
            case StateUpdate.Snapshot(var state) -> {
                var credentials = new Credentials(new TreeMap<>(state.credentials()));
                var head = new Head(
                        false,
                        1,
                        verifies ? Optional.of(secrets.seal(ClusterJson.write(credentials))) : Optional.empty(),
                        told.leadership());
                yield joined(head, List.of(StateCodec.encode(state.carrying(new TreeMap<>()))));
            }
            case StateUpdate.Changes(var changes) ->
                joined(
                        new Head(true, changes.size(), Optional.empty(), told.leadership()),
                        changes.stream().map(LoggedChange::bytes).toList());
        };
    }

    private static byte[] joined(Head head, List<byte[]> parts) {
        var joined = new ByteArrayOutputStream();
        add(joined, ClusterJson.write(head));
        parts.forEach(part -> add(joined, part));
        return joined.toByteArray();
    }

    private static void add(ByteArrayOutputStream to, byte[] part) {
        to.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        to.writeBytes(part);
    }

    /// @param version what the receiver has; earlier changes are left out
    /// @throws IOException when the bytes are not whole
    /// @throws StoreException.Unavailable when the credentials were sealed with another key
    public static ControllerService.Told open(byte[] bytes, SealedSecrets secrets, long version) throws IOException {
        var in = ByteBuffer.wrap(bytes);
        var head = ClusterJson.read(next(in), Head.class);
        if (head.changes()) {
            var changes = new ArrayList<LoggedChange>();
            for (int part = 0; part < head.parts(); part++) {
                StateCodec.decodeChange(next(in), version)
                        .map(LoggedChange::new)
                        .ifPresent(changes::add);
            }
            return new ControllerService.Told(new StateUpdate.Changes(changes), head.leadership());
        }
        var state = StateCodec.decodeState(next(in));
        var update = new StateUpdate.Snapshot(head.sealedCredentials()
                .map(text -> state.carrying(secrets.open(text)
                        .map(SentState::read)
                        .orElseThrow(() -> new StoreException.Unavailable(
                                "the controller's credentials cannot be opened; compare auth.cluster_key"))))
                .orElse(state));
        return new ControllerService.Told(update, head.leadership());
    }

    private static byte[] next(ByteBuffer in) throws IOException {
        int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IOException("it broke off");
        }
        var part = new byte[length];
        in.get(part);
        return part;
    }

    private static SortedMap<String, String> read(byte[] json) {
        try {
            return ClusterJson.read(json, Credentials.class).keys();
        } catch (IOException e) {
            throw new StoreException.Unavailable("the controller's credentials cannot be read: " + e.getMessage());
        }
    }
}
