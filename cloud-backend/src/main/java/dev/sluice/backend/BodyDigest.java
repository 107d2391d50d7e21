package dev.sluice.backend;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Function;

/// A checksum on its way through a body.
///
/// @param writing as the cloud writes it
/// @param costly whether it takes longer than handing it to another thread
record BodyDigest(Hasher hasher, Function<byte[], String> writing, boolean costly) {
    static BodyDigest of(ChecksumAlgorithm algorithm) {
        boolean cheap = algorithm == ChecksumAlgorithm.CRC32 || algorithm == ChecksumAlgorithm.CRC32C;
        return new BodyDigest(Hasher.of(algorithm), Base64.getEncoder()::encodeToString, !cheap);
    }

    static BodyDigest md5() {
        return new BodyDigest(Hasher.of(ChecksumAlgorithm.MD5), HexFormat.of()::formatHex, true);
    }

    void update(ByteBuffer bytes) {
        hasher.add(bytes);
    }

    String value() {
        return writing.apply(hasher.value());
    }
}
