package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What an object's record says of the multipart upload that made it. So a Complete that is repeated finds its result.
///
/// @param uploadId 32 hexadecimal digits
/// @param sizes of its parts, in order
/// @param numbers of its parts, ascending; empty where they are 1, 2, 3 …
/// @param checksums of its parts, where the object's is composed of them and they are not too many
public record FromParts(String uploadId, List<Long> sizes, List<Integer> numbers, Optional<Checksums> checksums) {
    /// Of checksums in a record, which other nodes get whole.
    private static final int MOST_BYTES = 128 << 10;

    /// @param values of all parts in base64, one after the other: each is as long as the others
    public record Checksums(ChecksumAlgorithm algorithm, String values) {
        int count() {
            return values.length() / length();
        }

        private int length() {
            return (algorithm.size() + 2) / 3 * 4;
        }

        String of(int index) {
            return values.substring(index * length(), (index + 1) * length());
        }
    }

    public FromParts {
        sizes = List.copyOf(sizes);
        numbers = List.copyOf(numbers);
        int count = sizes.size();
        if (!numbers.isEmpty() && numbers.size() != count) {
            throw new IllegalArgumentException("%d numbers of %d parts".formatted(numbers.size(), count));
        }
        if (checksums.isPresent() && checksums.get().count() != count) {
            throw new IllegalArgumentException(
                    "%d checksums of %d parts".formatted(checksums.get().count(), count));
        }
    }

    /// @param parts in order
    public static FromParts of(UploadState upload, List<Part> parts) {
        var sizes = new ArrayList<Long>();
        var numbers = new ArrayList<Integer>();
        boolean gaps = false;
        for (var part : parts) {
            sizes.add(part.size());
            numbers.add(part.number());
            gaps |= part.number() != numbers.size();
        }
        return new FromParts(
                upload.uploadId(),
                sizes,
                gaps ? numbers : List.of(),
                upload.checksumAlgorithm()
                        .filter(_ -> !upload.fullObjectChecksum()) // S3 shows none of those
                        .flatMap(ChecksumAlgorithm::ofName)
                        .filter(named -> named.size() * parts.size() <= MOST_BYTES)
                        .flatMap(named -> checksums(named, parts)));
    }

    private static Optional<Checksums> checksums(ChecksumAlgorithm algorithm, List<Part> parts) {
        var values = new StringBuilder();
        for (var part : parts) {
            var value = part.checksums().get(algorithm);
            if (value == null || !algorithm.isValue(value)) {
                return Optional.empty();
            }
            values.append(value);
        }
        return Optional.of(new Checksums(algorithm, values.toString()));
    }

    public int count() {
        return sizes.size();
    }

    /// The place of a part in the order of all; below 0 when there is none with this number.
    public int index(int number) {
        if (!numbers.isEmpty()) {
            return Collections.binarySearch(numbers, number);
        }
        return number <= count() ? number - 1 : -1;
    }

    public int number(int index) {
        return numbers.isEmpty() ? index + 1 : numbers.get(index);
    }

    /// Where a part begins in the object.
    public long offset(int index) {
        return sizes.stream().limit(index).mapToLong(Long::longValue).sum();
    }

    /// Of a part; none when they are not known.
    public Map<ChecksumAlgorithm, String> checksumsOf(int index) {
        return checksums.map(all -> Map.of(all.algorithm(), all.of(index))).orElse(Map.of());
    }
}
