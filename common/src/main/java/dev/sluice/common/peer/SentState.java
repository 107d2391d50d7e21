package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeMap;

/// The cluster's state on its way from the controller to another node: without the clients' secret keys, which go
/// beside it, sealed with the cluster's key, to nodes that verify signatures.
///
/// @param state without credentials
/// @param sealedCredentials empty where the node has no use for them
public record SentState(ClusterState state, Optional<String> sealedCredentials) {
    /// The credentials alone, in JSON.
    private record Credentials(TreeMap<String, String> keys) {
        @Override
        public String toString() {
            return keys.keySet() + " with their secrets";
        }
    }

    /// @param verifies whether the receiver verifies clients' signatures
    public static SentState of(ClusterState state, boolean verifies, SealedSecrets secrets) {
        var bare = state.carrying(new TreeMap<>());
        return new SentState(
                bare,
                verifies
                        ? Optional.of(
                                secrets.seal(ClusterJson.write(new Credentials(new TreeMap<>(state.credentials())))))
                        : Optional.empty());
    }

    /// @throws StoreException.Unavailable when the credentials were sealed with another key
    public ClusterState opened(SealedSecrets secrets) {
        return sealedCredentials
                .map(text -> state.carrying(secrets.open(text)
                        .map(SentState::read)
                        .orElseThrow(() -> new StoreException.Unavailable(
                                "the controller's credentials cannot be opened; compare auth.cluster_key"))))
                .orElse(state);
    }

    private static TreeMap<String, String> read(byte[] json) {
        try {
            return ClusterJson.read(json, Credentials.class).keys();
        } catch (IOException e) {
            throw new StoreException.Unavailable("the controller's credentials cannot be read: " + e.getMessage());
        }
    }
}
