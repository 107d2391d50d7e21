package dev.sluice.common.samples;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which samples are asked for, in order.
public record SampleBatch(List<Shard> shards, List<Item> items) {
    /// The longest one, as JSON.
    public static final int LARGEST = 1 << 20;

    private static final JsonFactory JSON = new JsonFactory();

    /// @param etag which version it must be, without quotes; empty: any
    public record Shard(String bucket, String key, Optional<String> etag) {}

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
    /// @throws StoreException.InvalidArgument with what is wrong
    public static SampleBatch parse(byte[] json) {
        try (var parser = JSON.createParser(json)) {
            return new Reading(parser).batch();
        } catch (IOException malformed) {
            throw new StoreException.InvalidArgument("the batch is not to be read: "
                    + String.valueOf(malformed.getMessage()).lines().findFirst().orElse(""));
        }
    }

    private static final class Reading {
        private final JsonParser parser;
        private final List<Shard> shards = new ArrayList<>();
        private final List<Item> items = new ArrayList<>();

        Reading(JsonParser parser) {
            this.parser = parser;
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
                require(parser.currentToken() == JsonToken.START_ARRAY, "a shard is [bucket, key, etag or null]");
                var words = new ArrayList<Optional<String>>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    boolean text = parser.currentToken() == JsonToken.VALUE_STRING;
                    require(
                            (text || parser.currentToken() == JsonToken.VALUE_NULL) && words.size() < 3,
                            "a shard is [bucket, key, etag or null]");
                    words.add(text ? Optional.of(parser.getText()) : Optional.empty());
                }
                require(
                        words.size() >= 2
                                && words.get(0).isPresent()
                                && words.get(1).isPresent(),
                        "a shard is [bucket, key, etag or null]");
                shards.add(new Shard(
                        words.get(0).get(), words.get(1).get(), words.size() < 3 ? Optional.empty() : words.get(2)));
            }
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

    public byte[] encode() {
        var out = new ByteArrayOutputStream();
        try (var json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeArrayFieldStart("shards");
            for (var shard : shards) {
                json.writeStartArray();
                json.writeString(shard.bucket);
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
