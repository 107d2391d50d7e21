package dev.sluice.targetnode.storage.index;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// How multipart uploads and their parts stand in the index.
public final class UploadKeys {
    private static final int ID_LENGTH = 32;

    private UploadKeys() {}

    /// In the order of listings: bucket, key, id.
    public static byte[] upload(long bucketId, String key, String uploadId) {
        var object = IndexKeys.object(bucketId, key);
        return ByteBuffer.allocate(object.length + 1 + ID_LENGTH)
                .put(object)
                .put((byte) 0)
                .put(id(uploadId))
                .array();
    }

    /// An id that is none of ours is filled up, and then not found.
    public static byte[] id(String uploadId) {
        return Arrays.copyOf(uploadId.getBytes(StandardCharsets.UTF_8), ID_LENGTH);
    }

    public static String idOf(byte[] upload) {
        return new String(upload, upload.length - ID_LENGTH, ID_LENGTH, StandardCharsets.US_ASCII);
    }

    public static byte[] part(String uploadId, int number) {
        return ByteBuffer.allocate(ID_LENGTH + 4)
                .put(id(uploadId))
                .putInt(number)
                .array();
    }

    public static byte[] afterLastPart(String uploadId) {
        return part(uploadId, -1);
    }
}
