package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Everything known of one object but its bytes. Stored with the file; the source of truth.
///
/// @param etag without quotes: an MD5 in hex, `MD5-N` of a multipart upload, or a backend's
/// @param checksums S3's algorithms, values in base64
/// @param headers content headers to give back verbatim
/// @param parts of an object that a multipart upload made
/// @param blocks the sums of all of the object's blocks
/// @param slice which slice of the object the file has; empty: all of it
/// @param parity where members have slices, the sums of all parity cells: those of the first stripe, then of the next
/// @param backendVersion ETag or generation of the cloud object that this was filled from or written through to
public record ObjectRecord(
        long bucketId,
        String key,
        ObjectVersion version,
        long size,
        long createdMillis,
        long modifiedMillis,
        String etag,
        Map<ChecksumAlgorithm, String> checksums,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<FromParts> parts,
        Optional<String> backendVersion,
        BlockSums blocks,
        Optional<SliceOf> slice,
        BlockSums parity) {
    public ObjectRecord {
        if (blocks.count() != BlockSums.blocksOf(size)) {
            throw new IllegalArgumentException(blocks + " for " + size + " bytes");
        }
        if (parity.count() != paritySums(slice, size)) {
            throw new IllegalArgumentException(parity + " of parity for " + size + " bytes in " + slice);
        }
        checksums = Map.copyOf(checksums);
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
        userMetadata = Collections.unmodifiableSortedMap(new TreeMap<>(userMetadata));
    }

    private static int paritySums(Optional<SliceOf> slice, long size) {
        return slice.map(of -> of.paritySums(size)).orElse(0);
    }

    /// How many bytes the file has.
    public long fileSize() {
        return slice.map(of -> of.bytes(size)).orElse(size);
    }

    /// The sums of the file's bytes.
    public BlockSums fileSums() {
        return slice.map(of -> of.sums(size, blocks, parity)).orElse(blocks);
    }

    /// What there is of the version.
    public int position() {
        return slice.map(SliceOf::position).orElse(0);
    }

    /// The same object's, for the file of another slice.
    public ObjectRecord at(int position) {
        return new ObjectRecord(
                bucketId,
                key,
                version,
                size,
                createdMillis,
                modifiedMillis,
                etag,
                checksums,
                headers,
                userMetadata,
                parts,
                backendVersion,
                blocks,
                slice.map(of -> new SliceOf(of.code(), position)),
                parity);
    }
}
