package dev.sluice.backend.access;

import dev.sluice.backend.BackendAddress;

/// A cloud bucket with all that this node needs to use it. Made by [BackendRules].
public record BackendConnection(BackendAddress address, BackendCredentials credentials, Reach reach) {
    @Override
    public String toString() {
        return address + " with " + credentials;
    }
}
