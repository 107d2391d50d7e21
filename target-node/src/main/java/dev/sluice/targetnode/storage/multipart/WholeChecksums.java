package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.checksum.MultipartChecksum;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The checksums of the object that a Complete makes: what the client promises is compared with them.
public final class WholeChecksums {
    private final Multipart uploads;
    private final UploadState upload;
    private final S3Request.CompleteMultipartUpload request;
    private final List<Part> parts;
    private final BooleanSupplier abandoned;

    /// @param parts those that the client names, as far as they are there, in order
    /// @param abandoned whether nobody waits for it any more
    public WholeChecksums(
            Multipart uploads,
            UploadState upload,
            S3Request.CompleteMultipartUpload request,
            List<Part> parts,
            BooleanSupplier abandoned) {
        this.uploads = uploads;
        this.upload = upload;
        this.request = request;
        this.parts = parts;
        this.abandoned = abandoned;
    }

    /// Blocks where parts have to be read.
    ///
    /// @param listed what the client names
    /// @return what the object is to keep
    public Map<ChecksumAlgorithm, String> compared(List<S3Request.CompletedPart> listed) {
        var algorithm = upload.checksumAlgorithm().flatMap(ChecksumAlgorithm::ofName);
        return algorithm.isPresent() ? announced(algorithm.get(), listed) : promisedAtLast(listed);
    }

    private Map<ChecksumAlgorithm, String> announced(
            ChecksumAlgorithm algorithm, List<S3Request.CompletedPart> listed) {
        requireSame(algorithm);
        for (int i = 0; i < listed.size(); i++) {
            if (listed.get(i).partNumber() != i + 1) {
                throw new StoreException.InvalidPartOrder(); // as S3 wants it where there are checksums
            }
        }
        if (parts.isEmpty()) {
            return Map.of();
        }
        var ofParts = parts.stream()
                .map(part -> new MultipartChecksum.Part(
                        Optional.ofNullable(part.checksums().get(algorithm))
                                .orElseThrow(() -> new StoreException.InvalidPart(
                                        part.number(), "was uploaded without a " + algorithm)),
                        part.size()))
                .toList();
        var value = upload.fullObjectChecksum()
                ? MultipartChecksum.fullObject(algorithm, ofParts)
                : MultipartChecksum.composite(algorithm, ofParts);
        return Map.of(algorithm, same(algorithm, value));
    }

    /// What the client promises of the object must be what the upload was begun with.
    private void requireSame(ChecksumAlgorithm ofUpload) {
        for (var promised : request.checksums().keySet()) {
            if (promised != ofUpload) {
                throw other("the checksum " + ofUpload, promised);
            }
        }
        boolean fullObject = upload.fullObjectChecksum();
        if (request.fullObjectChecksum().orElse(fullObject) != fullObject) {
            throw S3Failure.invalidRequest(
                    "The upload was created using the %s checksum mode. The complete request must use the same checksum mode."
                            .formatted(fullObject ? "FULL_OBJECT" : "COMPOSITE"));
        }
    }

    private static S3Failure other(String ofUpload, ChecksumAlgorithm promised) {
        return S3Failure.invalidRequest("The upload was created with %s: its object can have no %s. Send that one."
                .formatted(ofUpload, promised));
    }

    /// Of the whole object, of an upload that was begun without: where parts came without it, all are read.
    private Map<ChecksumAlgorithm, String> promisedAtLast(List<S3Request.CompletedPart> listed) {
        if (request.checksums().isEmpty()) {
            return Map.of();
        }
        var promised = request.checksums().entrySet().iterator().next();
        var algorithm = promised.getKey();
        if (!algorithm.allows(true)
                || promised.getValue().contains("-")
                || !request.fullObjectChecksum().orElse(true)) {
            throw other("no checksum", algorithm);
        }
        var _ = CompletedParts.wanted(listed, parts); // what is wrong with the list is said before that
        var ofParts = parts.stream()
                .flatMap(part ->
                        known(part, algorithm).map(known -> new MultipartChecksum.Part(known, part.size())).stream())
                .toList();
        var value = ofParts.size() == parts.size() ? MultipartChecksum.fullObject(algorithm, ofParts) : read(algorithm);
        return Map.of(algorithm, same(algorithm, value));
    }

    private static Optional<String> known(Part part, ChecksumAlgorithm algorithm) {
        var sent = Optional.ofNullable(part.checksums().get(algorithm));
        return sent.isEmpty() && algorithm == ChecksumAlgorithm.CRC32C
                ? Optional.of(part.blocks().crc32cBase64(part.size()))
                : sent;
    }

    private String read(ChecksumAlgorithm algorithm) {
        var hasher = Hasher.of(algorithm);
        try (var bytes = new PartsSource(uploads, upload, parts)) {
            for (var next = bytes.next(); next.hasRemaining(); next = bytes.next()) {
                if (abandoned.getAsBoolean()) {
                    throw new StoreException.Unavailable("nobody waits for the upload's end any more");
                }
                hasher.add(next);
            }
        }
        return hasher.base64();
    }

    /// Without the number of parts is right too.
    private String same(ChecksumAlgorithm algorithm, String value) {
        var expected = request.checksums().getOrDefault(algorithm, value);
        if (!expected.equals(value) && !(expected + "-" + parts.size()).equals(value)) {
            throw ReceivedDigests.mismatch(algorithm, expected, value);
        }
        return value;
    }
}
