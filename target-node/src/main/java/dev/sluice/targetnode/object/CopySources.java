package dev.sluice.targetnode.object;

import dev.sluice.backend.StreamSource;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpDate;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.SteadyBody;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens the object that a copy is made from, at its primary, whichever node that is: also this one, over the same way.
public final class CopySources {
    private static final Logger LOG = LoggerFactory.getLogger(CopySources.class);
    private static final String[] CONTENT_HEADERS = {
        "Content-Type", "Content-Encoding", "Content-Disposition", "Content-Language", "Cache-Control", "Expires"
    };

    /// Of the copy, for the source's next bytes.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ClusterViews views;
    private final PeerClient peers;

    public CopySources(ClusterViews views, PeerClient peers) {
        this.views = views;
        this.peers = peers;
    }

    /// @param headers content headers, canonical names
    /// @param bucket that it is in
    /// @param tagged whether it has tags
    /// @param tags of an object that no cloud has
    record Source(
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            Bucket bucket,
            String etag,
            boolean tagged,
            Tags tags,
            long length,
            StreamSource body)
            implements AutoCloseable {
        public UploadBody incoming() {
            return UploadBody.of(new Copied(body), length);
        }

        @Override
        public void close() {
            body.close();
        }
    }

    /// A source that breaks off is no fault of the client's, who sent no body.
    private record Copied(StreamSource body) implements ByteSource {
        @Override
        public ByteBuffer next() {
            try {
                return body.next();
            } catch (IOException e) {
                throw new StoreException.Unavailable("The copy's source broke off: " + e.getMessage());
            }
        }

        @Override
        public void close() {
            body.close();
        }
    }

    /// @throws StoreException when the source does not exist, its conditions do not hold, or its node does not answer
    public Source open(ObjectName name, Conditions conditions, Optional<ByteRange> range) {
        var view = views.current();
        var bucket = view.bucket(name.bucket())
                .or(() -> views.confirmed().bucket(name.bucket()))
                .orElseThrow(() -> new StoreException.NoSuchBucket(name.bucket()));
        var asked = view.primary(bucket, name.key());
        var response = peers.open(
                PeerAddress.of(asked),
                "/" + name.bucket() + "/" + encode(name.key()),
                requestHeaders(conditions, range));
        if (response.statusCode() == 200 || response.statusCode() == 206) {
            var source = source(response, bucket);
            if (range.isPresent() && !isWhole(range.get(), source.length())) {
                source.close();
                throw outside(range, "The copy source's range ends behind the source");
            }
            return source;
        }
        discard(response.body());
        throw switch (response.statusCode()) {
            case 404 -> new StoreException.NoSuchKey(name.key());
            case 304, 412 -> new StoreException.PreconditionFailed("x-amz-copy-source-if-…");
            case 416 -> outside(range, "The copy source's range lies outside of it");
            default ->
                new StoreException.Unavailable(
                        "%s answered %d for the copy's source".formatted(asked.id(), response.statusCode()));
        };
    }

    private static StoreException outside(Optional<ByteRange> range, String message) {
        return new StoreException.InvalidArgument(
                "x-amz-copy-source-range", range.map(CopySources::text).orElse(""), message);
    }

    private static Headers requestHeaders(Conditions conditions, Optional<ByteRange> range) {
        var headers = Headers.builder().add(ObjectCall.TAGS, "1");
        conditions.ifMatch().ifPresent(etag -> headers.add("If-Match", etag));
        conditions.ifNoneMatch().ifPresent(etag -> headers.add("If-None-Match", etag));
        conditions.ifModifiedSince().ifPresent(time -> headers.add("If-Modified-Since", date(time)));
        conditions.ifUnmodifiedSince().ifPresent(time -> headers.add("If-Unmodified-Since", date(time)));
        range.ifPresent(asked -> headers.add("Range", text(asked)));
        return headers.build();
    }

    private static String text(ByteRange range) {
        return switch (range) {
            case ByteRange.FromTo(var from, var to) ->
                "bytes=%d-%s".formatted(from, to == Long.MAX_VALUE ? "" : Long.toString(to));
            case ByteRange.Last(var count) -> "bytes=-" + count;
        };
    }

    /// A GET's range may be cut short, a copy's may not.
    private static boolean isWhole(ByteRange range, long length) {
        return switch (range) {
            case ByteRange.FromTo(var from, var to) -> to == Long.MAX_VALUE || length == to - from + 1;
            case ByteRange.Last(var count) -> length == count;
        };
    }

    private static Source source(HttpResponse<InputStream> response, Bucket bucket) {
        var headers = new TreeMap<String, String>();
        for (var name : CONTENT_HEADERS) {
            response.headers().firstValue(name).ifPresent(value -> headers.put(name, value));
        }
        var userMetadata = new TreeMap<String, String>();
        response.headers().map().forEach((name, values) -> {
            if (name.startsWith("x-amz-meta-")) {
                userMetadata.put(name.substring("x-amz-meta-".length()), values.getFirst());
            }
        });
        long length = response.headers().firstValueAsLong("Content-Length").orElseThrow();
        var steady = new SteadyBody(response.body(), PATIENCE); // its node may lose its power while it sends
        var body = new StreamSource(steady, length, _ -> {}, _ -> discard(steady));
        var etag = response.headers().firstValue("ETag").orElse("").replace("\"", "");
        boolean tagged = response.headers().firstValue(Tags.COUNT_HEADER).isPresent();
        var tags = response.headers().firstValue(Tags.HEADER);
        if (tagged && tags.isEmpty() && !bucket.backed()) {
            body.close();
            throw new StoreException.Unavailable("the tags of the copy's source did not come with it: try again");
        }
        return new Source(
                headers,
                userMetadata,
                bucket,
                etag,
                tagged,
                tags.map(Tags::ofHeader).orElse(Tags.NONE),
                length,
                body);
    }

    private static void discard(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            LOG.debug("closing a copy's source: {}", e.toString());
        }
    }

    private static String date(Instant time) {
        return HttpDate.format(time);
    }

    private static String encode(String key) {
        return URLEncoder.encode(key, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }
}
