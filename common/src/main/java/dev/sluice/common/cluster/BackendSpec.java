package dev.sluice.common.cluster;

import java.util.Optional;

/// The cloud bucket behind a bucket. Never holds keys: they come from the usual chains or a named profile.
///
/// @param url `s3://bucket[/prefix]` or `gs://bucket[/prefix]`
/// @param endpoint for anything but the cloud's own: `http://host:port`
public record BackendSpec(String url, Optional<String> endpoint, Optional<String> region, Optional<String> profile) {}
