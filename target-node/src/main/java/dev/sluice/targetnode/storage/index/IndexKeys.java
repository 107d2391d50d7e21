package dev.sluice.targetnode.storage.index;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// How keys stand in the index, so that their order there is the order of a listing.
public final class IndexKeys {
    private IndexKeys() {}

    public static byte[] number(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    public static long number(byte[] key) {
        return ByteBuffer.wrap(key).getLong();
    }

    public static byte[] version(ObjectVersion version) {
        return ByteBuffer.allocate(16)
                .putLong(version.epoch())
                .putLong(version.sequence())
                .array();
    }

    public static ObjectVersion version(byte[] key) {
        var in = ByteBuffer.wrap(key);
        return new ObjectVersion(in.getLong(), in.getLong());
    }

    /// @throws StoreException.InvalidArgument when the key is no text that UTF-8 can hold
    public static byte[] utf8(String key) {
        try {
            var bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
            var copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (CharacterCodingException _) {
            throw new StoreException.InvalidArgument("key", key, "The key is not valid Unicode");
        }
    }

    public static byte[] object(long bucketId, String key) {
        return object(bucketId, utf8(key));
    }

    public static byte[] object(long bucketId, byte[] key) {
        return ByteBuffer.allocate(8 + key.length).putLong(bucketId).put(key).array();
    }

    public static String keyOf(byte[] object) {
        return new String(object, 8, object.length - 8, StandardCharsets.UTF_8);
    }

    public static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /// The smallest key greater than this one.
    public static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /// The smallest key greater than all that begin with this, the end of which is UTF-8.
    public static byte[] past(byte[] beginning) {
        var past = beginning.clone();
        past[past.length - 1]++;
        return past;
    }
}
