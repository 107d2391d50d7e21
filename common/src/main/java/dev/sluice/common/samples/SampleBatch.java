package dev.sluice.common.samples;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Which samples are asked for, in order.
public record SampleBatch(List<Shard> shards, List<Item> items) {
    /// The longest one, as JSON.
    public static final int LARGEST = 1 << 20;

    private static final long MOST = 1_000_000;
    private static final int LONGEST_KEY = 1024;
    private static final String SHARD = "a shard is [bucket, key, etag or null]";
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8) // else it may become longer than it came
            .build();

    /// @param bucketId of the bucket that its reader was judged for; 0 where that is not done yet
    /// @param etag which version it must be, without quotes; empty: any
    public record Shard(String bucket, long bucketId, String key, Optional<String> etag) {
        public Shard {
            require(!key.isEmpty() && key.getBytes(StandardCharsets.UTF_8).length <= LONGEST_KEY, "no such key");
        }

        public Shard(String bucket, String key, Optional<String> etag) {
            this(bucket, 0, key, etag);
        }

        public Shard of(long id) {
            return new Shard(bucket, id, key, etag);
        }
    }

    /// Samples one after the other.
    ///
    /// @param shard its place in the list
    public record Item(int shard, int first, int count) {
        public Item {
            require(first >= 0, "a sample's number is not negative");
            require(count >= 1, "a count is 1 or more");
            require(Integer.MAX_VALUE - first >= count - 1, "no shard has so many samples");
        }
    }

    public SampleBatch {
        shards = List.copyOf(shards);
        items = List.copyOf(items);
        for (var item : items) {
            if (item.shard < 0 || item.shard >= shards.size()) {
                throw new StoreException.InvalidArgument("there is no shard %d in the list".formatted(item.shard));
            }
        }
    }

    /// The same with other shards.
    public SampleBatch with(List<Shard> others) {
        return new SampleBatch(others, items);
    }

    private static void require(boolean good, String otherwise) {
        if (!good) {
            throw new StoreException.InvalidArgument(otherwise);
        }
    }

    /// How many samples.
    public long count() {
        return items.stream().mapToLong(Item::count).sum();
    }

    /// Reads `{"shards": [[bucket, key, etag or null], …], "samples": [shard, first, count, …]}`. Without samples it
    /// is a question about the shards.
    ///
    /// Between nodes, a bucket's id follows its name.
    ///
    /// @throws StoreException.InvalidArgument with what is wrong
    public static SampleBatch parse(byte[] json) {
        return parse(json, false);
    }

    /// @param judged whether each bucket has its id
    public static SampleBatch parse(byte[] json, boolean judged) {
        try (var parser = JSON.createParser(json)) {
            var batch = new Reading(parser, judged).batch();
            require(batch.count() <= MOST, "a batch has at most 1,000,000 samples");
            return batch;
        } catch (IOException malformed) {
            throw new StoreException.InvalidArgument("the batch is not to be read: "
                    + String.valueOf(malformed.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private static final class Reading {
        private final JsonParser parser;
        private final boolean judged;
        private final List<Shard> shards = new ArrayList<>();
        private final List<Item> items = new ArrayList<>();

        Reading(JsonParser parser, boolean judged) {
            this.parser = parser;
            this.judged = judged;
        }

        SampleBatch batch() throws IOException {
            require(parser.nextToken() == JsonToken.START_OBJECT, "a batch is an object with shards and samples");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var name = parser.currentName();
                require(parser.nextToken() == JsonToken.START_ARRAY, name + " is a list");
                switch (name) {
                    case "shards" -> readShards();
                    case "samples" -> readItems();
                    default -> require(false, "a batch has shards and samples, and no " + name);
                }
            }
            require(!shards.isEmpty(), "a batch has one shard or more");
            require(parser.nextToken() == null, "something follows the batch");
            return new SampleBatch(shards, items);
        }

        private void readShards() throws IOException {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                require(parser.currentToken() == JsonToken.START_ARRAY, SHARD);
                var bucket = text(parser.nextToken()).orElse("");
                long id = 0;
                if (judged) {
                    require(parser.nextToken() == JsonToken.VALUE_NUMBER_INT, SHARD);
                    id = parser.getLongValue();
                }
                var key = text(parser.nextToken());
                var token = parser.nextToken();
                var etag = token == JsonToken.END_ARRAY ? Optional.<String>empty() : text(token);
                require(
                        key.isPresent()
                                && !bucket.isEmpty()
                                && (token == JsonToken.END_ARRAY || parser.nextToken() == JsonToken.END_ARRAY),
                        SHARD);
                shards.add(new Shard(bucket, id, key.get(), etag));
            }
        }

        private Optional<String> text(@Nullable JsonToken token) throws IOException {
            require(token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NULL, SHARD);
            return token == JsonToken.VALUE_STRING ? Optional.of(parser.getText()) : Optional.empty();
        }

        private void readItems() throws IOException {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                int shard = number();
                parser.nextToken();
                int first = number();
                parser.nextToken();
                items.add(new Item(shard, first, number()));
            }
        }

        private int number() throws IOException {
            require(
                    parser.currentToken() == JsonToken.VALUE_NUMBER_INT,
                    "samples are whole numbers: shard, first, count");
            return parser.getIntValue();
        }
    }

    /// As it is between nodes.
    public byte[] encode() {
        var out = new ByteArrayOutputStream();
        try (var json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeArrayFieldStart("shards");
            for (var shard : shards) {
                json.writeStartArray();
                json.writeString(shard.bucket);
                json.writeNumber(shard.bucketId);
                json.writeString(shard.key);
                if (shard.etag.isPresent()) {
                    json.writeString(shard.etag.get());
                }
                json.writeEndArray();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("samples");
            for (var item : items) {
                json.writeNumber(item.shard);
                json.writeNumber(item.first);
                json.writeNumber(item.count);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new IllegalStateException("bytes in memory", impossible);
        }
        return out.toByteArray();
    }
}
