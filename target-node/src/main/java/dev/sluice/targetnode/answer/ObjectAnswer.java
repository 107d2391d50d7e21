package dev.sluice.targetnode.answer;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpDate;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.EncodedWords;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.answer.AttributesXml;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.expiry.ExpiryDates;
import dev.sluice.targetnode.storage.record.FromParts;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.shards.ShardSamples;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The head of the answer to GetObject and HeadObject, and which bytes follow: the same for an object on a drive and
/// for one that is still coming from the cloud.
///
/// @param text what follows instead of the object's bytes
public record ObjectAnswer(int status, Headers headers, long offset, long length, Optional<ByteBuffer> text) {
    private static final List<String> CACHING = List.of("Cache-Control", "Expires");

    /// The same without the object's bytes.
    public Response withoutBytes() {
        return new Response(
                status,
                headers,
                text.<ResponseBody>map(ResponseBody.Bytes::new).orElseGet(() -> new ResponseBody.LengthOnly(length)));
    }

    /// How many bytes are sent first.
    public int window() {
        return (int) Math.min(FileSource.WINDOW, length);
    }

    /// What is known of an object, wherever its bytes are.
    ///
    /// @param userMetadata as it was sent or as the cloud returned it, one character for each byte
    /// @param checksums in base64, of the whole object; composite ones end in `-N`
    /// @param parts of an object that a multipart upload made, as far as this store knows them
    public record Known(
            long size,
            String etag,
            Instant modified,
            Map<ChecksumAlgorithm, String> checksums,
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Optional<FromParts> parts) {
        public static Known of(ObjectRecord record) {
            return new Known(
                    record.size(),
                    record.etag(),
                    Instant.ofEpochMilli(record.modifiedMillis()),
                    record.checksums(),
                    record.headers(),
                    record.userMetadata(),
                    record.parts());
        }
    }

    /// What an answer is of: the object, or samples of it.
    private record Extent(long offset, long length) {}

    /// @throws StoreException when a condition does not hold or the range lies outside
    public static ObjectAnswer of(Known object, Asked asked, CacheResult result) {
        return asked.description()
                .map(description -> described(object, asked, result, description.of(object)))
                .orElseGet(() -> of(object, asked, result, new Extent(0, object.size())));
    }

    private static ObjectAnswer described(Known object, Asked asked, CacheResult result, ByteBuffer text) {
        var headers = Headers.builder()
                .add("Content-Type", "application/xml")
                .add("ETag", '"' + object.etag() + '"')
                .add("Last-Modified", HttpDate.format(object.modified()));
        result.addTo(headers, asked.cached());
        return new ObjectAnswer(200, headers.build(), 0, 0, Optional.of(text));
    }

    /// What comes before anything else is found out.
    ///
    /// @throws StoreException when a condition does not hold
    public static void requireConditions(Known object, Asked asked) {
        if (!asked.conditions().checkRead(object.etag(), object.modified())) {
            throw new StoreException.NotModified(object.etag(), object.modified(), caching(object, asked));
        }
    }

    /// The same where a shard's member is asked for.
    ///
    /// @throws StoreException.NoSuchSample when it has not so many
    public static ObjectAnswer of(Known shard, Asked asked, CacheResult result, ShardSamples samples) {
        return switch (asked.member().orElseThrow()) {
            case ShardMember.Count() -> {
                var headers = of(shard, asked.whole(), result, new Extent(0, 0)).headers();
                var text = "{\"samples\":%d,\"size\":%d,\"etag\":\"%s\"}\n"
                        .formatted(samples.count(), shard.size(), shard.etag());
                yield new ObjectAnswer(
                        200,
                        headers.without("Content-Type").with("Content-Type", "application/json"),
                        0,
                        0,
                        Optional.of(StandardCharsets.UTF_8.encode(text)));
            }
            case ShardMember.Samples(int first, int count) -> {
                long end = (long) first + count;
                if (end > samples.count()) {
                    throw new StoreException.NoSuchSample(end - 1, samples.count());
                }
                long offset = samples.offset(first);
                var answer = of(shard, asked, result, new Extent(offset, samples.offset((int) end) - offset));
                var headers = answer.headers().with("x-sluice-sample", Integer.toString(first));
                if (count == 1) {
                    headers = headers.with("x-sluice-crc32", HexFormat.of().toHexDigits(samples.crc32(first)));
                }
                yield new ObjectAnswer(answer.status(), headers, answer.offset(), answer.length(), Optional.empty());
            }
        };
    }

    private static ObjectAnswer of(Known object, Asked asked, CacheResult result, Extent extent) {
        requireConditions(object, asked);
        var part = asked.partNumber().map(number -> part(object, number));
        var selected = part.or(() -> asked.range()
                .filter(_ -> asked.conditions().allowRange(object.etag(), object.modified()))
                .flatMap(range -> resolve(range, extent.length)));
        long offset = selected.map(ByteRange.Resolved::offset).orElse(0L);
        long length = selected.map(ByteRange.Resolved::length).orElse(extent.length);
        var headers = Headers.builder()
                .add("ETag", '"' + object.etag() + '"')
                .add("Last-Modified", HttpDate.format(object.modified()))
                .add("Accept-Ranges", "bytes");
        result.addTo(headers, asked.cached());
        if (!object.headers().containsKey("Content-Type") && !asked.overrides().containsKey("Content-Type")) {
            headers.add("Content-Type", "binary/octet-stream");
        }
        object.headers().forEach((name, value) -> {
            if (name.equals(Tags.HEADER)) {
                headers.add(Tags.COUNT_HEADER, Tags.count(value));
                if (asked.tags()) {
                    headers.add(Tags.HEADER, value);
                }
            } else if (!asked.overrides().containsKey(name)) {
                headers.add(name, value);
            }
        });
        asked.overrides().forEach(headers::add);
        object.userMetadata()
                .forEach((name, value) ->
                        headers.add("x-amz-meta-" + name, asked.cached() ? value : EncodedWords.returned(value)));
        asked.expiry()
                .of(object.size(), object.modified(), object.headers())
                .ifPresent(value -> headers.add(ExpiryDates.HEADER, value));
        boolean partial = selected.isPresent() && length > 0; // no range names the part of an empty object
        if (partial) {
            headers.add("Content-Range", "bytes %d-%d/%d".formatted(offset, offset + length - 1, extent.length));
        }
        var ofPart = asked.partNumber().flatMap(number -> object.parts().map(parts -> parts.index(number)));
        if (ofPart.isPresent()) {
            headers.add(
                    "x-amz-mp-parts-count",
                    Integer.toString(object.parts().orElseThrow().count()));
        }
        if (asked.checksumMode() && asked.member().isEmpty()) {
            if (ofPart.isPresent()) {
                addChecksums(headers, object, object.parts().orElseThrow().checksumsOf(ofPart.get()));
            } else if (length == object.size()) {
                addChecksums(headers, object, object.checksums());
            }
        }
        return new ObjectAnswer(partial ? 206 : 200, headers.build(), extent.offset + offset, length, Optional.empty());
    }

    /// The last bytes of an empty object are all of it, as in S3.
    private static Optional<ByteRange.Resolved> resolve(ByteRange range, long size) {
        return size == 0 && range instanceof ByteRange.Last(var count) && count > 0
                ? Optional.empty()
                : Optional.of(range.resolve(size));
    }

    /// Of the content headers.
    private static Map<String, String> caching(Known object, Asked asked) {
        var headers = new TreeMap<String, String>();
        for (var name : CACHING) {
            Optional.ofNullable(asked.overrides()
                            .getOrDefault(name, object.headers().get(name)))
                    .ifPresent(value -> headers.put(name, value));
        }
        return headers;
    }

    /// @param checksums the object's, or a part's
    private static void addChecksums(Headers.Builder headers, Known object, Map<ChecksumAlgorithm, String> checksums) {
        checksums.forEach((algorithm, value) -> headers.add(algorithm.header(), value));
        if (!checksums.isEmpty()) {
            headers.add("x-amz-checksum-type", AttributesXml.type(object.checksums()));
        }
    }

    /// An object that was not uploaded in parts has one: itself.
    private static ByteRange.Resolved part(Known object, int number) {
        int count = object.parts().map(FromParts::count).orElse(1);
        int index = object.parts().map(parts -> parts.index(number)).orElse(number == 1 ? 0 : -1);
        if (index < 0) {
            throw S3Failure.of(S3Code.INVALID_PART_NUMBER, Integer.toString(number), Integer.toString(count));
        }
        return object.parts()
                .map(parts -> new ByteRange.Resolved(
                        parts.offset(index), parts.sizes().get(index)))
                .orElseGet(() -> new ByteRange.Resolved(0, object.size()));
    }
}
