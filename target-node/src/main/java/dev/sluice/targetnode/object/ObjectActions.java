package dev.sluice.targetnode.object;

import dev.sluice.targetnode.coldfill.CloudTags;
import dev.sluice.targetnode.encryption.EncryptionAtRest;

/// One handler for each kind of action on an object.
public record ObjectActions(
        GetObjectHandler gets,
        PutObjectHandler puts,
        DeleteObjectHandler deletes,
        CopyHandlers copies,
        MultipartHandlers multipart,
        CompleteUploadHandler completions,
        CloudTags cloudTags,
        EncryptionAtRest encryption) {}
