package dev.sluice.targetnode.object;

/// One handler for each kind of action on an object.
public record ObjectActions(
        GetObjectHandler gets,
        PutObjectHandler puts,
        DeleteObjectHandler deletes,
        CopyHandlers copies,
        MultipartHandlers multipart,
        CompleteUploadHandler completions) {}
