package dev.sluice.common.peer;

import java.util.Optional;

/// What a target learns when it asks the cloud behind a bucket.
///
/// @param failure why the target cannot use the cloud bucket, and with which credentials it asked
/// @param wantsCredentials whether the cloud refuses these credentials, or there are none
public record BackendCheck(Optional<String> failure, boolean wantsCredentials) {
    public static BackendCheck passed() {
        return new BackendCheck(Optional.empty(), false);
    }

    public static BackendCheck failed(String why) {
        return new BackendCheck(Optional.of(why), false);
    }

    public static BackendCheck refused(String why) {
        return new BackendCheck(Optional.of(why), true);
    }
}
