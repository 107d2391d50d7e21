package dev.sluice.backend;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/// How a whole object from a backend is checked: by the best checksum the cloud tells, else by the MD5 its ETag is,
/// else by its length alone (which the stream itself ensures; the version is ensured by [BackendRead#ifVersion]).
public sealed interface BackendChecks {
    /// The cheapest first: CRC32C runs at 15 GB/s, SHA-256 at a tenth of that.
    List<ChecksumAlgorithm> CHEAPEST_FIRST = List.of(
            ChecksumAlgorithm.CRC32C,
            ChecksumAlgorithm.CRC32,
            ChecksumAlgorithm.XXHASH3,
            ChecksumAlgorithm.XXHASH128,
            ChecksumAlgorithm.XXHASH64,
            ChecksumAlgorithm.CRC64NVME,
            ChecksumAlgorithm.SHA1,
            ChecksumAlgorithm.SHA256,
            ChecksumAlgorithm.SHA512,
            ChecksumAlgorithm.MD5);

    /// Those that every cloud compares which compares any; Amazon took up the others in 2026.
    Set<ChecksumAlgorithm> KNOWN_TO_CLOUDS = Set.of(
            ChecksumAlgorithm.CRC32,
            ChecksumAlgorithm.CRC32C,
            ChecksumAlgorithm.CRC64NVME,
            ChecksumAlgorithm.SHA1,
            ChecksumAlgorithm.SHA256);

    /// @param base64 as the cloud tells it
    record Checksum(ChecksumAlgorithm algorithm, String base64) implements BackendChecks {}

    record Md5(String hex) implements BackendChecks {}

    record LengthOnly(long size) implements BackendChecks {}

    static BackendChecks of(BackendObject object) {
        for (var algorithm : CHEAPEST_FIRST) {
            var value = Optional.ofNullable(object.checksums().get(algorithm));
            if (value.isPresent()) {
                return new Checksum(algorithm, value.get());
            }
        }
        return object.md5().<BackendChecks>map(Md5::new).orElse(new LengthOnly(object.size()));
    }

    /// The same bytes, whose end is a [BackendMismatch] when they are not the right ones.
    ///
    /// @param source the whole object from its first byte
    /// @param digests where the costly digests (MD5, SHA) are computed, while the reader uses the same bytes;
    ///     the cheap ones run in the reader
    default ByteSource verifying(ByteSource source, Executor digests) {
        return switch (this) {
            case Checksum(var algorithm, var base64) -> {
                var digest = BodyDigest.of(algorithm);
                yield new VerifyingSource(source, digest, base64, digest.costly() ? digests : Runnable::run);
            }
            case Md5(var hex) -> new VerifyingSource(source, BodyDigest.md5(), hex, digests);
            case LengthOnly(var size) -> new LengthCheckedSource(source, size);
        };
    }
}
