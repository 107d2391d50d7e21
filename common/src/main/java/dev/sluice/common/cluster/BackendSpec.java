package dev.sluice.common.cluster;

import java.util.Optional;

/// The cloud bucket behind a bucket. Never holds keys: the configuration of the nodes has them.
///
/// @param url `s3://bucket[/prefix]` or `gs://bucket[/prefix]`
/// @param via the `[backends.NAME]` of the nodes' configuration by which it is reached
/// @param endpoint given with the bucket, for anything but the cloud's own: `http://host:port`
/// @param profile given with the bucket: a profile of the nodes' AWS files, or `anonymous`
public record BackendSpec(
        String url,
        Optional<String> via,
        Optional<String> endpoint,
        Optional<String> region,
        Optional<String> profile) {

    /// At the cloud's own endpoint, with the credentials that the nodes have anyway.
    public static BackendSpec of(String url) {
        return new BackendSpec(url, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public static BackendSpec via(String url, String name) {
        return new BackendSpec(url, Optional.of(name), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
