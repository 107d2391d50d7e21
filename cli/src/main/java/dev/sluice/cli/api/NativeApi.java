package dev.sluice.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.s3.ListedObject;
import dev.sluice.cli.s3.SignedHttp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.metrics.Metrics;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.net.ssl.HttpsURLConnection;

/// The calls below `/v1` that commands make, in the form AIStore's clients use, and `/health`.
public final class NativeApi {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String NODE_ID = "ais-node-id";
    private static final String SCRUB = "/v1/scrub";
    private static final String RESILVER = "/v1/resilver";
    private static final String JOBS = "/v1/jobs";
    private static final String PROPERTIES = "ais-bucket-props";

    /// The cloud bucket behind a bucket.
    public record Backend(
            String url,
            Optional<String> via,
            Optional<String> endpoint,
            Optional<String> region,
            Optional<String> profile) {}

    /// A node as the cluster's map has it.
    public record Member(String id, String role, String url) {}

    /// Which drives are meant; all where nothing is named.
    public record Drives(Optional<String> target, Optional<String> path) {}

    /// What a node says of itself.
    public enum Health {
        SERVING,
        STARTING,
        UNREACHABLE;

        public String state() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final SignedHttp http;

    public NativeApi(SignedHttp http) {
        this.http = http;
    }

    public URI endpoint() {
        return http.endpoint();
    }

    /// The buckets in the order of their names.
    public List<ListedBucket> buckets() {
        var buckets = new ArrayList<ListedBucket>();
        json(http.call("GET", "/v1/buckets", Map.of()).body())
                .forEach(bucket -> buckets.add(new ListedBucket(
                        bucket.path("name").asText(), bucket.path("replicas").asInt(1), code(bucket))));
        return buckets;
    }

    /// The erasure code of a bucket with these properties, such as `4+2`.
    public static Optional<String> code(JsonNode properties) {
        var code = properties.path("ec");
        return code.isObject()
                ? Optional.of("%d+%d"
                        .formatted(
                                code.path("data_slices").asInt(),
                                code.path("parity_slices").asInt()))
                : Optional.empty();
    }

    /// @param code such as `4+2`, where targets have slices of objects
    public record ListedBucket(String name, int replicas, Optional<String> code) {}

    /// One before a cloud bucket, all else as it is by default.
    public void createBucket(String name, Backend backend) {
        createBucket(name, Optional.of(backend), JSON.createObjectNode(), true);
    }

    /// @param properties as [#setProperties] takes them
    /// @param check whether the targets ask the cloud first
    public void createBucket(String name, Optional<Backend> backend, ObjectNode properties, boolean check) {
        var value = properties.deepCopy();
        backend.ifPresent(cloud -> {
            var object = value.putObject("backend").put("url", cloud.url());
            cloud.via().ifPresent(text -> object.put("via", text));
            cloud.endpoint().ifPresent(text -> object.put("endpoint", text));
            cloud.region().ifPresent(text -> object.put("region", text));
            cloud.profile().ifPresent(text -> object.put("profile", text));
        });
        act("POST", name, check ? Map.of() : Map.of("check", "false"), "create-bck", value);
    }

    /// With `force` also one that holds objects. What is in a cloud bucket behind it stays there.
    public void destroyBucket(String name, boolean force) {
        act("DELETE", name, Map.of(), "destroy-bck", JSON.createObjectNode().put("force", force));
    }

    /// Changes those that are named, as docs/http-api.md names them.
    public void setProperties(String name, ObjectNode properties) {
        act("PATCH", name, Map.of(), "set-bprops", properties);
    }

    /// The properties of a bucket, as the server names them.
    public JsonNode bucket(String name) {
        var response = http.call("HEAD", path(name), Map.of());
        return json(response.headers().firstValue(PROPERTIES).orElse("{}"));
    }

    /// What a bucket takes on the cluster's drives, and whether the cloud behind it answers, as the server names it.
    public JsonNode usage(String bucket) {
        return json(
                http.call("GET", "/v1/usage/" + bucket, Map.of("check", "true")).body());
    }

    /// The keys of a cached bucket that are stored on the targets, in their order.
    ///
    /// @param delimiter keys that have it behind the prefix are shown as one common prefix
    public void cached(String bucket, String prefix, Optional<String> delimiter, Consumer<ListedObject> each) {
        var query = new TreeMap<>(Map.of("prefix", prefix));
        delimiter.ifPresent(character -> query.put("delimiter", character));
        JsonNode page;
        do {
            page = json(http.call("GET", "/v1/cached/" + bucket, query).body());
            var found = new ArrayList<ListedObject>();
            page.path("objects")
                    .forEach(object -> found.add(new ListedObject(
                            object.path("key").asText(),
                            object.path("size").asLong(),
                            object.path("etag").asText(),
                            object.path("last_modified").asText())));
            page.path("prefixes").forEach(folded -> found.add(new ListedObject(folded.asText(), -1, "", "")));
            found.forEach(each);
            query.put("after", page.path("next").asText(""));
        } while (page.path("next").isTextual());
    }

    public List<Member> clusterMap() {
        var map = json(http.call("GET", "/v1/daemon", Map.of("what", "smap")).body());
        var members = new ArrayList<Member>();
        for (var role : List.of("proxy", "target")) {
            map.path(role.charAt(0) + "map").properties().forEach(entry -> {
                var url = entry.getValue().path("public_net").path("direct_url").asText();
                members.add(new Member(entry.getKey(), role, url));
            });
        }
        return members;
    }

    /// The drives of a target, as it tells them.
    public List<NodeHealth.Drive> mountpaths(String target) {
        var headers = Map.of(NODE_ID, target);
        var response =
                http.call("GET", "/v1/reverse/daemon", Map.of("what", "mountpaths"), headers, BodyPublishers.noBody());
        return NodeHealth.drives(json(response.body()));
    }

    /// What an operator may do with a drive.
    public enum DriveChange {
        ATTACH("PUT", "attach-mp"),
        DETACH("DELETE", "detach-mp"),
        /// With all that only it has.
        DETACH_LOST("DELETE", "detach-mp"),
        ENABLE("POST", "enable-mp"),
        DISABLE("POST", "disable-mp");

        private final String method;
        private final String action;

        DriveChange(String method, String action) {
            this.method = method;
            this.action = action;
        }
    }

    /// @param drive its path or id
    /// @return what was done
    public String changeMountpath(String target, DriveChange change, String drive) {
        var message = JSON.createObjectNode().put("action", change.action).put("value", drive);
        var answer = http.call(
                change.method,
                "/v1/reverse/daemon/mountpaths",
                change == DriveChange.DETACH_LOST ? Map.of("lost", "true") : Map.of(),
                Map.of("content-type", "application/json", NODE_ID, target),
                BodyPublishers.ofString(message.toString()));
        return json(answer.body()).path("done").asText();
    }

    public Trust trust() {
        return http.trust();
    }

    /// How the scrubs stand: an array with an object for each target, as the server shows it.
    public JsonNode scrubStatus(Drives which) {
        var query = new TreeMap<String, String>();
        which.target().ifPresent(target -> query.put("target", target));
        which.path().ifPresent(path -> query.put("drive", path));
        return json(http.call("GET", SCRUB, query).body());
    }

    /// Starts or stops them.
    ///
    /// @param rate in MiB a second, 0 for no limit
    public JsonNode scrub(String action, Drives which, Optional<Long> rate) {
        var message = JSON.createObjectNode().put("action", action);
        var value = message.putObject("value");
        which.target().ifPresent(target -> value.put("target", target));
        which.path().ifPresent(path -> value.put("drive", path));
        rate.ifPresent(mebibytes -> value.put("rate", mebibytes));
        return json(post(SCRUB, message));
    }

    /// How the resilvers stand: an array with an object for each target, as the server shows it.
    public JsonNode resilverStatus(Optional<String> target) {
        var query = new TreeMap<String, String>();
        target.ifPresent(id -> query.put("target", id));
        return json(http.call("GET", RESILVER, query).body());
    }

    /// Starts or stops them.
    public JsonNode resilver(String action, Optional<String> target) {
        var message = JSON.createObjectNode().put("action", action);
        var value = message.putObject("value");
        target.ifPresent(id -> value.put("target", id));
        return json(post(RESILVER, message));
    }

    /// Gives up a target or a drive.
    ///
    /// @return what is concerned, as the server shows it
    public JsonNode forget(String id, boolean acceptDataLoss, boolean dryRun) {
        var message = JSON.createObjectNode().put("action", "forget");
        message.putObject("value")
                .put("id", id)
                .put("accept_data_loss", acceptDataLoss)
                .put("dry_run", dryRun);
        return json(post("/v1/cluster", message));
    }

    /// The address of the cluster's page, with the capability to look at it for 12 hours.
    public URI page() {
        return endpoint()
                .resolve(json(post("/v1/ui", JSON.createObjectNode()))
                        .path("path")
                        .asText());
    }

    /// Starts a job, as docs/http-api.md names its values.
    ///
    /// @return the job, as the server shows it
    public JsonNode startJob(ObjectNode job) {
        return json(post(JOBS, job));
    }

    /// The newest first.
    public JsonNode jobs() {
        return json(http.call("GET", JOBS, Map.of()).body());
    }

    public JsonNode job(String id) {
        return json(http.call("GET", JOBS + "/" + id, Map.of()).body());
    }

    public JsonNode stopJob(String id) {
        return json(http.call("DELETE", JOBS + "/" + id, Map.of()).body());
    }

    private String post(String path, JsonNode message) {
        var body = BodyPublishers.ofString(message.toString());
        return http.call("POST", path, Map.of(), Map.of("content-type", "application/json"), body)
                .body();
    }

    /// Asks one node, without keys. A certificate that is not to be believed is a failure, and says nothing of
    /// the node.
    public static NodeHealth health(String url, Trust trust) {
        try {
            var connection = connection(url + "/health", trust);
            try {
                var asked = Instant.now();
                boolean serves = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
                var ahead = ahead(asked, connection.getDate());
                return serves
                        ? NodeHealth.of(Health.SERVING, ahead, connection.getInputStream())
                        : NodeHealth.of(Health.STARTING, ahead, connection.getErrorStream());
            } finally {
                connection.disconnect();
            }
        } catch (IOException unreachable) {
            trust.refusal(url, unreachable).ifPresent(failure -> {
                throw failure;
            });
            return NodeHealth.without(Health.UNREACHABLE);
        }
    }

    /// @param date of the answer, in whole seconds; 0 for none
    private static Optional<Duration> ahead(Instant asked, long date) {
        var answered = Duration.between(asked, Instant.now());
        return date == 0
                ? Optional.empty()
                : Optional.of(Duration.between(
                        asked.plus(answered.dividedBy(2)),
                        Instant.ofEpochMilli(date).plusMillis(500)));
    }

    /// The slots of the replicated buckets and the targets that are muted, as one node knows them; without keys.
    ///
    /// @return empty when it does not say
    public static Optional<ClusterHealth> clusterHealth(String url, Trust trust) {
        try {
            var connection = connection(url + "/health/cluster", trust);
            try {
                boolean full = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
                try (var answer = full ? connection.getInputStream() : connection.getErrorStream()) {
                    var said = answer == null ? JSON.missingNode() : JSON.readTree(answer);
                    return said.path("slots").isMissingNode()
                            ? Optional.empty()
                            : Optional.of(new ClusterHealth(
                                    JSON.treeToValue(said.path("slots"), SlotCounts.class), texts(said.path("muted"))));
                }
            } finally {
                connection.disconnect();
            }
        } catch (IOException unreachable) {
            return Optional.empty();
        }
    }

    /// All metrics of the nodes at these addresses, those of one process once; without keys. Nodes that do not answer
    /// are left out.
    public static Metrics metrics(Collection<String> urls, Trust trust) {
        var asked = System.nanoTime();
        var answers = new ArrayList<Metrics>();
        for (var url : urls) {
            try {
                var connection = connection(url + "/metrics", trust);
                try (var answer = connection.getInputStream()) {
                    answers.add(Metrics.of(asked, new String(answer.readAllBytes(), StandardCharsets.UTF_8)));
                } finally {
                    connection.disconnect();
                }
            } catch (IOException unreachable) {
                trust.refusal(url, unreachable).ifPresent(failure -> {
                    throw failure;
                });
            }
        }
        return Metrics.together(asked, answers);
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static HttpURLConnection connection(String url, Trust trust) throws IOException {
        var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        if (connection instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(trust.context().getSocketFactory());
        }
        connection.setConnectTimeout(1_000);
        connection.setReadTimeout(2_000);
        return connection;
    }

    private void act(String method, String bucket, Map<String, String> query, String action, ObjectNode value) {
        var message = JSON.createObjectNode().put("action", action);
        message.set("value", value);
        http.call(
                method,
                path(bucket),
                query,
                Map.of("content-type", "application/json"),
                BodyPublishers.ofString(message.toString()));
    }

    private static String path(String bucket) {
        return "/v1/buckets/" + bucket;
    }

    private JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException unreadable) {
            throw CommandFailure.failed(
                    endpoint() + " sent an answer that is not JSON: " + unreadable.getOriginalMessage());
        }
    }
}
