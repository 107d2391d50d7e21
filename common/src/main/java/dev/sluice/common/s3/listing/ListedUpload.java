package dev.sluice.common.s3.listing;

import java.time.Instant;

/// What ListMultipartUploads says about one upload in progress.
public record ListedUpload(String key, String uploadId, Instant initiated) {}
