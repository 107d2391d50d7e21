package dev.sluice.common.s3.body;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.checksum.Md5;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// What a write computes while its bytes pass, beside the stored CRC32C blocks, from which that of the whole comes: the
/// MD5, and what the client promised. One thread at a time, and not an event loop (MD5).
public final class ReceivedDigests implements AutoCloseable {
    /// An MD5 of no more bytes is done sooner than another thread is woken to do it.
    private static final int FEW = 16 << 10;

    private final WriteAttributes attributes;
    private final Md5 md5;
    private final Map<ChecksumAlgorithm, Hasher> hashers = new EnumMap<>(ChecksumAlgorithm.class);

    /// @param etag the MD5 in hex
    /// @param checksums in base64: what the client promised or announced; CRC32C when that was nothing
    /// @param blocks the sums of the bytes
    public record Received(long size, String etag, Map<ChecksumAlgorithm, String> checksums, BlockSums blocks) {
        /// In base64.
        public String crc32c() {
            return blocks.crc32cBase64(size);
        }
    }

    /// Of bytes that are all there, computed on the caller's thread.
    ///
    /// @throws StoreException.BadDigest when they are not the promised ones
    public static void verify(byte[] bytes, WriteAttributes attributes) {
        var blocks = new BlockSummer();
        blocks.update(0, ByteBuffer.wrap(bytes));
        try (var digests = new ReceivedDigests(attributes, new Md5())) {
            digests.adding(ByteBuffer.wrap(bytes)).join();
            digests.check(bytes.length, blocks.finish(bytes.length), Map.of());
        }
    }

    /// Of bytes that arrive while others do. To be closed.
    ///
    /// @param length of all of them; -1 when it is not known
    public static ReceivedDigests ofStream(WriteAttributes attributes, long length) {
        boolean few = length >= 0 && length <= FEW;
        return new ReceivedDigests(attributes, few ? new Md5() : Md5.amongOthers());
    }

    private ReceivedDigests(WriteAttributes attributes, Md5 md5) {
        this.attributes = attributes;
        this.md5 = md5;
        attributes.checksums().keySet().forEach(this::compute);
        attributes.declared().ifPresent(this::compute);
    }

    /// The CRC32C comes from the blocks, and the MD5 is computed for every write.
    private void compute(ChecksumAlgorithm algorithm) {
        if (algorithm != ChecksumAlgorithm.CRC32C && algorithm != ChecksumAlgorithm.MD5) {
            hashers.computeIfAbsent(algorithm, Hasher::of);
        }
    }

    /// Takes in what remains in the buffer, whose position stays where it is: the drive may be written from it
    /// meanwhile. The bytes must stay as they are until it completes, and nothing else may be asked of this
    /// object before.
    public CompletableFuture<Void> adding(ByteBuffer bytes) {
        var md5Added = md5.adding(bytes);
        for (var hasher : hashers.values()) {
            hasher.add(bytes);
        }
        return md5Added;
    }

    /// The same, each of the digests by itself, for whoever lets each take the bytes at its own pace. Nothing else may
    /// be asked of this object until all have taken all.
    ///
    /// @param pool about one thread per core, for all that takes longer than handing it over
    public List<PieceConsumer> each(Executor pool) {
        var each = new ArrayList<PieceConsumer>();
        // also where lanes compute it: their own threads must not bring them the next bytes, for that may have to wait
        each.add(new OnPool(md5::adding, pool));
        hashers.forEach((algorithm, hasher) -> {
            PieceConsumer here = bytes -> {
                hasher.add(bytes);
                return CompletableFuture.completedFuture(null);
            };
            each.add(algorithm == ChecksumAlgorithm.CRC32 ? here : new OnPool(here::take, pool));
        });
        return each;
    }

    /// Compares with all that the client promised; called once, after the last byte.
    ///
    /// @param size of all the bytes
    /// @param blocks their sums
    /// @param trailers the checksums in base64 that came after the body
    /// @throws StoreException.BadDigest when the bytes are not the promised ones
    /// @throws S3Failure when a trailer's value is malformed
    public Received check(long size, BlockSums blocks, Map<ChecksumAlgorithm, String> trailers) {
        var etag = md5.hex();
        var computed = new EnumMap<ChecksumAlgorithm, String>(ChecksumAlgorithm.class);
        hashers.forEach((algorithm, hasher) -> computed.put(algorithm, hasher.base64()));
        if (isNamed(ChecksumAlgorithm.MD5)) {
            computed.put(
                    ChecksumAlgorithm.MD5,
                    Base64.getEncoder().encodeToString(HexFormat.of().parseHex(etag)));
        }
        if (isNamed(ChecksumAlgorithm.CRC32C) || computed.isEmpty()) {
            computed.put(ChecksumAlgorithm.CRC32C, blocks.crc32cBase64(size));
        }
        attributes.contentMd5().ifPresent(expected -> {
            if (!expected.equalsIgnoreCase(etag)) {
                throw new StoreException.BadDigest(
                        "The Content-MD5 you specified did not match what we received.", expected, etag);
            }
        });
        attributes.checksums().forEach((algorithm, expected) -> compare(algorithm, expected, computed));
        trailers.forEach((algorithm, expected) -> compare(algorithm, expected, computed));
        return new Received(size, etag, Map.copyOf(computed), blocks);
    }

    @Override
    public void close() {
        md5.close();
    }

    private boolean isNamed(ChecksumAlgorithm algorithm) {
        return attributes.checksums().containsKey(algorithm)
                || (attributes.declared().isPresent() && attributes.declared().get() == algorithm);
    }

    private static void compare(ChecksumAlgorithm algorithm, String expected, Map<ChecksumAlgorithm, String> computed) {
        var actual = computed.get(algorithm);
        if (actual == null) {
            throw new StoreException.InvalidArgument(
                    algorithm.header(),
                    expected,
                    "The trailer " + algorithm.header() + " was not announced in x-amz-trailer");
        }
        if (!algorithm.isValue(expected)) {
            throw S3Failure.invalidRequest(
                    "Value for " + algorithm.header() + " header or trailer is invalid: " + expected);
        }
        if (!MessageDigest.isEqual(
                Base64.getDecoder().decode(expected), Base64.getDecoder().decode(actual))) {
            throw mismatch(algorithm, expected, actual);
        }
    }

    /// Of the bytes as a whole.
    public static StoreException.BadDigest mismatch(ChecksumAlgorithm algorithm, String expected, String calculated) {
        return new StoreException.BadDigest(
                "The " + algorithm + " you specified did not match the calculated checksum.", expected, calculated);
    }
}
