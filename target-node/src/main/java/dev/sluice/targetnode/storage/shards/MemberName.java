package dev.sluice.targetnode.storage.shards;

import java.nio.ByteBuffer;
import java.util.Optional;

/// What a member is called, in the bytes of the tar.
final class MemberName {
    private final byte[] bytes;

    /// @param bytes not modified any more
    MemberName(byte[] bytes) {
        this.bytes = bytes;
    }

    byte[] bytes() {
        return bytes;
    }

    boolean endsWithSlash() {
        return bytes.length > 0 && bytes[bytes.length - 1] == '/';
    }

    /// What the names of a sample's members have in common: all up to the first dot of the last part.
    ///
    /// @return empty when the member is in no sample: its last part has no dot, begins with one, or has `__` around
    Optional<ByteBuffer> sample() {
        int begin = bytes.length;
        while (begin > 0 && bytes[begin - 1] != '/') {
            begin--;
        }
        int dot = begin;
        while (dot < bytes.length && bytes[dot] != '.') {
            dot++;
        }
        return dot == bytes.length || dot == begin || isReserved(begin)
                ? Optional.empty()
                : Optional.of(ByteBuffer.wrap(bytes, 0, dot).slice());
    }

    private boolean isReserved(int begin) {
        int end = bytes.length;
        return end - begin >= 2
                && bytes[begin] == '_'
                && bytes[begin + 1] == '_'
                && bytes[end - 1] == '_'
                && bytes[end - 2] == '_';
    }
}
