package dev.sluice.targetnode.storage.shards;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// The shards with which the Python package's reader is tested, too, and what their samples are.
final class GoldenShards {
    private static final Path FOLDER = Path.of("../python/tests/golden");

    private GoldenShards() {}

    record Golden(String name, Path file, JsonNode expected) {
        byte[] bytes() {
            try {
                return Files.readAllBytes(file);
            } catch (IOException missing) {
                throw new UncheckedIOException(missing);
            }
        }

        boolean isGood() {
            return expected.has("samples");
        }

        /// Where the first bad header is.
        long bad() {
            return expected.get("bad").asLong();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Golden> all() throws IOException {
        var all = new ObjectMapper().readTree(FOLDER.resolve("golden.json").toFile());
        return all.properties().stream()
                .map(each -> new Golden(each.getKey(), FOLDER.resolve(each.getKey() + ".tar"), each.getValue()));
    }
}
