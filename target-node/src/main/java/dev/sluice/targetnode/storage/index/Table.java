package dev.sluice.targetnode.storage.index;

/// The parts of a drive's index. Each is ordered by its keys' bytes, unsigned.
public enum Table {
    /// Bucket id and key → what a listing shows, and where the file lies.
    OBJECTS,
    /// Sequence → a change that is durable but whose rename may not be yet.
    INTENTS,
    /// Bucket id, key and upload id → a multipart upload.
    UPLOADS,
    /// Upload id and number → a part.
    PARTS,
    /// Upload id → the result of a completed upload, for a repeated request.
    COMPLETED,
    /// Facts of the index itself.
    META
}
