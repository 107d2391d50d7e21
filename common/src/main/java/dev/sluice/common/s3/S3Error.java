package dev.sluice.common.s3;

/// An error as S3 clients see it: Amazon's code, its HTTP status, and a message that says what to do.
public record S3Error(int status, String code, String message) {}
