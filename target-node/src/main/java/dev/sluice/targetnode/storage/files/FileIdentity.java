package dev.sluice.targetnode.storage.files;

/// Changes whenever a file is replaced or changed in place, by whomever.
public record FileIdentity(long inode, long size, long changedNanos) {}
