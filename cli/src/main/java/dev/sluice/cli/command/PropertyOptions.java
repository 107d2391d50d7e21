package dev.sluice.cli.command;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.config.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The properties of a bucket that commands set. Whether a value may be is for the cluster to say.
final class PropertyOptions {
    private static final JsonMapper JSON = new JsonMapper();

    @Option(
            names = "--local-copies",
            paramLabel = "N",
            description = "How many drives of its target keep each object, 1 to 8 (default 1).")
    private @Nullable Integer localCopies;

    @Option(
            names = "--quota",
            paramLabel = "SIZE",
            description = "How much the bucket's objects may take on the cluster's drives, each copy counted:"
                    + " 500GiB, or none (the default).")
    private @Nullable String quota;

    /// Those that were given, as the native API takes them.
    ObjectNode given() {
        var value = JSON.createObjectNode();
        if (localCopies != null) {
            value.put("local_copies", localCopies);
        }
        if ("none".equals(quota)) {
            value.putNull("quota");
        } else if (quota != null) {
            value.put("quota", bytes(quota));
        }
        return value;
    }

    private static long bytes(String quota) {
        try {
            return ByteSize.parse(quota).bytes();
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            throw CommandFailure.refused("--quota must be none, or a size such as 500GiB: " + unreadable.getMessage());
        }
    }
}
