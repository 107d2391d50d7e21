package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.cluster.RoutePreference;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.time.Durations;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A bucket's properties as the native API reads and shows them. What it does not know is an error that names it.
final class BucketJson {
    private static final ObjectMapper JSON = new ObjectMapper().registerModule(new Jdk8Module());

    private static final Set<String> PROPERTIES = Set.of(
            "backend",
            "durability",
            "policy",
            "route",
            "local_copies",
            "replicas",
            "ec",
            "min_in_sync",
            "quota",
            "expire_after",
            "revalidate",
            "evict",
            "cold_range");
    private static final String DATA = "data_slices";
    private static final String PARITY = "parity_slices";
    private static final Set<String> BACKEND = Set.of("url", "via", "endpoint", "region", "profile");

    private BucketJson() {}

    /// The properties of a new bucket: defaults, and what the value says otherwise. `local_copies` above 1 alone is of
    /// times when one target had all replicas.
    static BucketProperties created(String name, JsonNode value, ClusterState state) throws IOException {
        var usual = state.newBucket(backend(value));
        return changed(name, value.path("local_copies").asInt(1) > 1 ? usual.withReplicas(1) : usual, value);
    }

    /// @throws IOException when the value names something that does not exist, or that cannot change
    static BucketProperties changed(String name, BucketProperties before, JsonNode value) throws IOException {
        onlyKnown(value, PROPERTIES);
        if (value.has("backend") && !backend(value).equals(before.backend())) {
            throw new IOException("a bucket's backend is chosen when it is created and cannot change");
        }
        var policy = value.has("policy") ? optionalText(value, "policy") : before.document(BucketDocument.POLICY);
        policy.ifPresent(json -> BucketPolicy.parse(name, json.getBytes(StandardCharsets.UTF_8)));
        int localCopies = value.has("local_copies")
                ? wholeNumber(value, "local_copies", 1, BucketProperties.MAX_LOCAL_COPIES)
                        .intValue()
                : before.localCopies();
        var code = code(before, value);
        int replicas = code.map(ErasureCode::slices).orElse(wholeReplicas(before, value));
        int minInSync = value.has("min_in_sync")
                ? wholeNumber(value, "min_in_sync", 1, replicas).intValue()
                : code.isPresent() ? 1 : before.minInSync();
        if (localCopies > 1 && replicas > 1) {
            throw S3Failure.notImplemented(
                    "local_copies and replicas that are both more than 1 (a bucket with replicas=1 is made by naming that when it is created)");
        }
        return new BucketProperties(
                before.backend(),
                choice(value, "durability", Durability.class, before.durability()),
                before.with(BucketDocument.POLICY, policy).documents(),
                value.has("route")
                        ? Optional.ofNullable(JSON.treeToValue(value.get("route"), RoutePreference.class))
                        : before.route(),
                localCopies,
                replicas,
                code.map(ErasureCode::data).orElse(1),
                minInSync,
                value.has("quota") ? quota(value) : before.quota(),
                cache(before.cache(), value),
                value.has("expire_after") ? life(value.get("expire_after")) : before.expireAfter());
    }

    /// `replicas` takes the code away, and the other way round.
    private static Optional<ErasureCode> code(BucketProperties before, JsonNode value) throws IOException {
        if (!value.has("ec")) {
            return value.has("replicas") ? Optional.empty() : before.code();
        }
        if (value.has("replicas")) {
            throw new IOException(
                    "ec and replicas exclude each other: ec says how many targets have a part of an object");
        }
        try {
            return Optional.of(ErasureCode.parse(codeText(value.get("ec"))));
        } catch (IllegalArgumentException unreadable) {
            throw new IOException("ec: " + unreadable.getMessage(), unreadable);
        }
    }

    /// As AIStore's clients write it, or as people do.
    private static String codeText(JsonNode code) {
        return code.isObject()
                ? "%s+%s".formatted(code.path(DATA).asText(), code.path(PARITY).asText())
                : code.asText();
    }

    private static int wholeReplicas(BucketProperties before, JsonNode value) throws IOException {
        return value.has("replicas")
                ? wholeNumber(value, "replicas", 1, Group.MOST_REPLICAS).intValue()
                : before.replicas();
    }

    private static CacheRules cache(CacheRules before, JsonNode value) throws IOException {
        return new CacheRules(
                value.has("revalidate") ? revalidate(value.get("revalidate")) : before.revalidate(),
                choice(value, "evict", CacheRules.Evict.class, before.evict()),
                choice(value, "cold_range", CacheRules.ColdRange.class, before.coldRange()));
    }

    private static <E extends Enum<E>> E choice(JsonNode value, String field, Class<E> choices, E before)
            throws IOException {
        if (!value.has(field)) {
            return before;
        }
        for (var choice : choices.getEnumConstants()) {
            if (value.get(field).equals(JSON.valueToTree(choice))) {
                return choice;
            }
        }
        throw new IOException("%s must be one of %s, not %s"
                .formatted(field, JSON.valueToTree(choices.getEnumConstants()), value.get(field)));
    }

    private static Revalidate revalidate(JsonNode text) throws IOException {
        try {
            return Revalidate.of(text.asText());
        } catch (IllegalArgumentException unreadable) {
            throw new IOException(unreadable.getMessage(), unreadable);
        }
    }

    private static Optional<Duration> life(JsonNode text) throws IOException {
        if (text.isNull()) {
            return Optional.empty();
        }
        var life = Durations.parse(text.asText());
        if (life.isEmpty()) {
            throw new IOException("expire_after must be a duration such as 90m, 12h or 30d, or null for never, not %s"
                    .formatted(text));
        }
        return life;
    }

    private static Optional<Long> quota(JsonNode value) throws IOException {
        return value.get("quota").isNull()
                ? Optional.empty()
                : Optional.of(wholeNumber(value, "quota", 1, Long.MAX_VALUE));
    }

    private static Long wholeNumber(JsonNode object, String field, long least, long most) throws IOException {
        var node = object.get(field);
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.asLong() < least || node.asLong() > most) {
            throw new IOException(
                    "%s must be a whole number from %d to %d, not %s".formatted(field, least, most, node));
        }
        return node.asLong();
    }

    private static Optional<BackendSpec> backend(JsonNode value) throws IOException {
        if (!value.hasNonNull("backend")) {
            return Optional.empty();
        }
        var backend = value.get("backend");
        onlyKnown(backend, BACKEND);
        var url = optionalText(backend, "url")
                .filter(text -> text.startsWith("s3://") || text.startsWith("gs://"))
                .orElseThrow(() -> new IOException("backend.url must be s3://bucket or gs://bucket"));
        var endpoint = optionalText(backend, "endpoint");
        if (endpoint.isPresent() && URI.create(endpoint.get()).getHost() == null) {
            throw new IOException("backend.endpoint must be a URL such as http://10.0.0.1:9000");
        }
        return Optional.of(new BackendSpec(
                url,
                optionalText(backend, "via"),
                endpoint,
                optionalText(backend, "region"),
                optionalText(backend, "profile")));
    }

    private static Optional<String> optionalText(JsonNode object, String field) {
        return Optional.ofNullable(object.get(field))
                .filter(node -> !node.isNull())
                .map(node -> node.isTextual() ? node.asText() : node.toString());
    }

    private static void onlyKnown(JsonNode object, Set<String> known) throws IOException {
        for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
            var name = names.next();
            if (!known.contains(name)) {
                throw new IOException("unknown property '%s'; known are %s".formatted(name, new TreeSet<>(known)));
            }
        }
    }

    static ObjectNode show(Bucket bucket) {
        var properties = bucket.properties();
        var node = JSON.createObjectNode()
                .put("name", bucket.name())
                .put("provider", "ais")
                .put("bid", Long.toString(bucket.id()))
                .put("created", Long.toString(bucket.createdMillis() * 1_000_000));
        node.set("durability", JSON.valueToTree(properties.durability()));
        node.put("local_copies", properties.localCopies());
        var code = properties.code();
        if (code.isPresent()) {
            node.putObject("ec")
                    .put("enabled", true)
                    .put(DATA, code.get().data())
                    .put(PARITY, code.get().parity());
        } else {
            node.put("replicas", properties.replicas());
            if (properties.replicas() > 1) {
                node.put("min_in_sync", properties.minInSync());
            }
        }
        properties.quota().ifPresent(bytes -> node.put("quota", bytes));
        properties.expireAfter().ifPresent(life -> node.put("expire_after", Durations.text(life)));
        properties.backend().ifPresent(backend -> {
            node.set("backend", JSON.valueToTree(backend));
            node.set("revalidate", JSON.valueToTree(properties.cache().revalidate()));
            node.set("evict", JSON.valueToTree(properties.cache().evict()));
            node.set("cold_range", JSON.valueToTree(properties.cache().coldRange()));
        });
        properties.document(BucketDocument.POLICY).ifPresent(policy -> node.put("policy", policy));
        properties.route().ifPresent(route -> node.set("route", JSON.valueToTree(route)));
        return node;
    }
}
