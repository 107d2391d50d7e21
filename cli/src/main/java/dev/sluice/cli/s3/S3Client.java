package dev.sluice.cli.s3;

import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.xml.stream.XMLStreamException;

/// Objects by S3: what the commands need and no more. Files are streamed, large ones sent in parts.
public final class S3Client {
    static final long MULTIPART_ABOVE = 64L << 20;
    private static final String CRC32 = "x-sluice-crc32";
    private static final Map<String, String> POLICY = Map.of("policy", "");
    private final SignedHttp http;

    public S3Client(SignedHttp http) {
        this.http = http;
    }

    public void createBucket(String bucket) {
        http.call("PUT", "/" + bucket, Map.of());
    }

    /// Fails if objects are in it.
    public void removeBucket(String bucket) {
        http.call("DELETE", "/" + bucket, Map.of());
    }

    /// Stores a file; `sent` hears of bytes as they go. Returns the ETag.
    public String put(String bucket, String key, Path file, LongConsumer sent) {
        try {
            var size = Files.size(file);
            if (size > MULTIPART_ABOVE) {
                return new MultipartUpload(http, path(bucket, key), file, size, sent).run();
            }
            var body = new FileSlice(file, 0, size, sent).body();
            return etag(http.call("PUT", path(bucket, key), Map.of(), Map.of(), body));
        } catch (IOException unreadable) {
            throw CommandFailure.failed(file + " cannot be read: " + unreadable.getMessage());
        }
    }

    /// The bytes of an object while they arrive, and how many there will be. The caller closes the body.
    public Download get(String bucket, String key) {
        return get(bucket, key, Map.of());
    }

    /// Samples of a tar shard, one after the other as they are in it.
    ///
    /// @param first counted from 0
    public Download samples(String bucket, String key, long first, long count) {
        var query = new TreeMap<>(Map.of("sample", Long.toString(first)));
        if (count != 1) {
            query.put("count", Long.toString(count));
        }
        return get(bucket, key, query);
    }

    private Download get(String bucket, String key, Map<String, String> query) {
        var response = http.open(path(bucket, key), query);
        return new Download(
                response.body(),
                response.headers().firstValueAsLong("content-length").orElse(-1),
                etag(response),
                response.headers().firstValue(CRC32).map(text -> Long.parseLong(text, 16)));
    }

    /// How many samples a tar shard has, and of what size it is. The first such call of a shard takes as long as it
    /// takes to read it.
    ///
    /// @return as docs/http-api.md has it
    public String countSamples(String bucket, String key) {
        return http.call("GET", path(bucket, key), Map.of("samples", "")).body();
    }

    /// A GET under way.
    ///
    /// @param crc32 of the bytes, where the server says it
    public record Download(InputStream body, long size, String etag, Optional<Long> crc32) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    public ObjectInfo head(String bucket, String key) {
        var response = http.call("HEAD", path(bucket, key), Map.of());
        var headers = response.headers();
        var metadata = new TreeMap<String, String>();
        headers.map().forEach((name, values) -> {
            if (name.startsWith("x-amz-meta-")) {
                metadata.put(name.substring("x-amz-meta-".length()), values.getFirst());
            }
        });
        return new ObjectInfo(
                bucket,
                key,
                headers.firstValueAsLong("content-length").orElse(0),
                etag(response),
                headers.firstValue("last-modified").orElse(""),
                headers.firstValue("content-type").orElse(""),
                metadata);
    }

    public void delete(String bucket, String key) {
        http.call("DELETE", path(bucket, key), Map.of());
    }

    /// Every object below a prefix, in order, page by page; with a delimiter, common prefixes instead of what is below.
    public void list(String bucket, String prefix, Optional<String> delimiter, Consumer<ListedObject> each) {
        var query = new HashMap<>(Map.of("list-type", "2", "prefix", prefix, "encoding-type", "url"));
        delimiter.ifPresent(character -> query.put("delimiter", character));
        Optional<String> next;
        do {
            var page = page(bucket, query);
            page.objects().forEach(each);
            next = page.next();
            next.ifPresent(token -> query.put("continuation-token", token));
        } while (next.isPresent());
    }

    public boolean holdsObjects(String bucket) {
        return !page(bucket, Map.of("list-type", "2", "max-keys", "1"))
                .objects()
                .isEmpty();
    }

    public String policy(String bucket) {
        return http.call("GET", "/" + bucket, POLICY).body();
    }

    public void setPolicy(String bucket, String json) {
        http.call("PUT", "/" + bucket, POLICY, Map.of(), BodyPublishers.ofString(json));
    }

    public void removePolicy(String bucket) {
        http.call("DELETE", "/" + bucket, POLICY);
    }

    private ListPage page(String bucket, Map<String, String> query) {
        var answer = http.call("GET", "/" + bucket, query);
        try {
            return ListPage.parse(answer.body());
        } catch (XMLStreamException unreadable) {
            throw CommandFailure.failed(
                    http.endpoint() + " sent a listing that is not XML: " + unreadable.getMessage());
        }
    }

    static String etag(HttpResponse<?> response) {
        return response.headers().firstValue("etag").orElse("").replace("\"", "");
    }

    private static String path(String bucket, String key) {
        return "/" + bucket + "/" + key;
    }
}
