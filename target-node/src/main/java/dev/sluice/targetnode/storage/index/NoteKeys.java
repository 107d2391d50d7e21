package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// How notes stand in the index: bucket id, length of the key, key, version. All of one key stand together.
public final class NoteKeys {
    private static final int HEAD = 8 + 4;
    private static final int VERSION = 8 + 8;

    private NoteKeys() {}

    /// What all notes of a key begin with, and no other's.
    public static byte[] prefix(long bucketId, String key) {
        var utf8 = IndexKeys.utf8(key);
        return ByteBuffer.allocate(HEAD + utf8.length)
                .putLong(bucketId)
                .putInt(utf8.length)
                .put(utf8)
                .array();
    }

    public static byte[] note(long bucketId, String key, ObjectVersion version) {
        var prefix = prefix(bucketId, key);
        return ByteBuffer.allocate(prefix.length + VERSION)
                .put(prefix)
                .putLong(version.epoch())
                .putLong(version.sequence())
                .array();
    }

    public static ObjectKey objectOf(byte[] note) {
        var in = ByteBuffer.wrap(note);
        long bucketId = in.getLong();
        var utf8 = new byte[in.getInt()];
        in.get(utf8);
        return new ObjectKey(bucketId, new String(utf8, StandardCharsets.UTF_8));
    }

    public static ObjectVersion versionOf(byte[] note) {
        var in = ByteBuffer.wrap(note, note.length - VERSION, VERSION);
        return new ObjectVersion(in.getLong(), in.getLong());
    }
}
