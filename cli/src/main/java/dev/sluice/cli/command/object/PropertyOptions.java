package dev.sluice.cli.command.object;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.slots.Durability;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The properties of a bucket that commands set. Whether a value may be is for the cluster to say.
final class PropertyOptions {
    private static final JsonMapper JSON = new JsonMapper();

    @Option(
            names = "--local-copies",
            paramLabel = "N",
            description = "How many drives of its target keep each object, 1 to 8 (default 1), in a bucket with one"
                    + " replica. Deprecated: use --replicas.")
    private @Nullable Integer localCopies;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "How many targets keep each object, 1 to 8 (default 2; 1 with one target, with a backend or"
                    + " with --local-copies). With 2 or more, objects stay readable and writable while a target is"
                    + " down. Only an empty bucket can change it.")
    private @Nullable Integer replicas;

    @Option(
            names = "--ec",
            paramLabel = "DATA+PARITY",
            description = "Erasure code instead of replicas, such as 4+2: each object is divided into DATA slices on as"
                    + " many targets, PARITY more targets have what makes up for lost ones. Any PARITY of these targets"
                    + " may be lost; an object takes (DATA+PARITY)/DATA of its size. 2 to 20 and 1 to 4; needs"
                    + " DATA+PARITY targets. Only an empty bucket can change it.")
    private @Nullable String code;

    @Option(
            names = "--min-in-sync",
            paramLabel = "N",
            description = "With how few replicas that are up to date writes are still taken, 1 to replicas (default"
                    + " 1); with fewer they return 503.")
    private @Nullable Integer minInSync;

    @Option(
            names = "--quota",
            paramLabel = "SIZE",
            description = "How much the bucket's objects may take on the cluster's drives, each copy counted:"
                    + " 500GiB, or none (the default).")
    private @Nullable String quota;

    @Option(
            names = "--expire-after",
            paramLabel = "DURATION",
            description = "How long after it was written an object is deleted: 90m, 12h, 30d, from 1m; or none (the"
                    + " default). Each target looks once an hour (limits.lifecycle_interval).")
    private @Nullable String expireAfter;

    @Option(
            names = "--durability",
            paramLabel = "fsync|os",
            description = "What a successful write means. fsync: the object is on the drive and survives a power cut;"
                    + " os: it survives only the end of the process (default fsync, with a backend os).")
    private @Nullable Durability durability;

    @Option(
            names = "--route",
            paramLabel = "redirect|relay|default",
            description = "How a GET reaches the target that has the object: the client is redirected to it, or the"
                    + " node that was asked relays the bytes; default takes the setting away again.")
    private @Nullable Route route;

    @Option(
            names = "--revalidate",
            paramLabel = "never|DURATION|always",
            description = "When a cached object is compared with the cloud's before it is served: never (default),"
                    + " when the last comparison is older than 30s, 10m or 2h, or always.")
    private @Nullable String revalidate;

    @Option(
            names = "--evict",
            paramLabel = "auto|never",
            description = "Whether a full drive may remove cached objects of the bucket (default auto).")
    private CacheRules.@Nullable Evict evict;

    @Option(
            names = "--cold-range",
            paramLabel = "fill|pass",
            description =
                    "What a range of an object that is only in the cloud fetches. fill: the whole object (default);"
                            + " pass: the range, until more of the object is asked for.")
    private CacheRules.@Nullable ColdRange coldRange;

    /// The routes a bucket can have, and none of its own.
    private enum Route {
        REDIRECT,
        RELAY,
        DEFAULT
    }

    /// Those that were given, as the native API takes them.
    ObjectNode given() {
        var value = JSON.createObjectNode();
        if (localCopies != null) {
            value.put("local_copies", localCopies);
        }
        if (replicas != null) {
            value.put("replicas", replicas);
        }
        if (code != null) {
            value.put("ec", code);
        }
        if (minInSync != null) {
            value.put("min_in_sync", minInSync);
        }
        if ("none".equals(quota)) {
            value.putNull("quota");
        } else if (quota != null) {
            value.put("quota", bytes(quota));
        }
        if ("none".equals(expireAfter)) {
            value.putNull("expire_after");
        } else if (expireAfter != null) {
            value.put("expire_after", expireAfter);
        }
        if (durability != null) {
            value.put("durability", durability.name().toLowerCase(Locale.ROOT));
        }
        if (revalidate != null) {
            value.put("revalidate", revalidate);
        }
        if (evict != null) {
            value.put("evict", evict.name().toLowerCase(Locale.ROOT));
        }
        if (coldRange != null) {
            value.put("cold_range", coldRange.name().toLowerCase(Locale.ROOT));
        }
        if (route == Route.DEFAULT) {
            value.putNull("route");
        } else if (route != null) {
            value.put("route", route.name().toLowerCase(Locale.ROOT));
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
