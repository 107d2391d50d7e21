package dev.sluice.cli.s3;

import java.util.Map;

/// What a HEAD says of an object.
public record ObjectInfo(
        String bucket,
        String key,
        long size,
        String etag,
        String lastModified,
        String contentType,
        Map<String, String> metadata) {}
