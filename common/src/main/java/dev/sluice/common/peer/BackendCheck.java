package dev.sluice.common.peer;

import java.util.Optional;

/// What a target learns when it asks the cloud behind a bucket that is yet to be made.
///
/// @param failure why the target cannot use the cloud bucket, and with which credentials it asked
public record BackendCheck(Optional<String> failure) {
    public static BackendCheck passed() {
        return new BackendCheck(Optional.empty());
    }

    public static BackendCheck failed(String why) {
        return new BackendCheck(Optional.of(why));
    }
}
