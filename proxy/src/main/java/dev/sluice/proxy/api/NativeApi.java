package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.auth.Authenticator;
import dev.sluice.common.auth.Caller;
import dev.sluice.common.auth.Identity;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Error;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.parse.BucketName;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.ClientUrl;
import dev.sluice.proxy.gateway.RequestBodies;
import dev.sluice.proxy.s3.AccessCheck;
import dev.sluice.proxy.s3.BucketLifecycle;
import java.io.IOException;
import java.net.URI;
import java.util.function.Function;

/// AIStore's native calls under `/v1`, as far as they are served yet: buckets, drives and the cluster map; and scrubs,
/// resilvers, jobs and the usage of buckets, in a way of ours. Errors are JSON.
public final class NativeApi implements HttpHandler {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_BODY = 1 << 20;
    private static final String BUCKETS = "/v1/buckets";
    private static final String SCRUB = "/v1/scrub";
    private static final String RESILVER = "/v1/resilver";
    private static final String JOBS = "/v1/jobs";
    private static final String USAGE = "/v1/usage/";
    private static final String CACHED = "/v1/cached/";
    private static final String CLUSTER = "/v1/cluster";
    private static final String PAGE = "/v1/ui";

    private final Authenticator authenticator;
    private final ClusterViews views;
    private final Calls calls;
    private final Function<Caller, String> pagePath;

    /// What it leads to.
    public record Calls(
            BucketLifecycle buckets,
            NewBackend backends,
            MountpathApi mountpaths,
            ScrubApi scrubs,
            ResilverApi resilvers,
            UsageApi usages,
            JobApi jobs,
            CachedApi cached,
            ForgetApi forgetting) {}

    /// @param pagePath the path of the cluster's page, for somebody
    public NativeApi(Authenticator authenticator, ClusterViews views, Calls calls, Function<Caller, String> pagePath) {
        this.authenticator = authenticator;
        this.views = views;
        this.calls = calls;
        this.pagePath = pagePath;
    }

    @Override
    public Answer answer(RequestHead head) {
        Caller caller;
        try {
            caller = authenticator.authenticate(head);
            if (!caller.identity().trusted()) {
                throw new S3Failure(S3Code.ACCESS_DENIED, "the request is not signed");
            }
        } catch (S3Failure e) {
            return error(head, e.error());
        }
        return new Blocking(body -> {
            try {
                return call(head, caller, body);
            } catch (StoreException e) {
                return error(head, S3Errors.inOurWords(e));
            } catch (S3Failure e) {
                return error(head, e.error());
            } catch (IOException | IllegalArgumentException e) {
                return error(head, S3Code.BAD_REQUEST.error(String.valueOf(e.getMessage())));
            }
        });
    }

    private Response call(RequestHead head, Caller caller, ByteSource body) throws IOException {
        var path = head.path();
        if (path.equals(BUCKETS) && head.method().equals("GET")) {
            return json(200, list());
        }
        if (path.startsWith(BUCKETS + "/")) {
            return bucket(head, path.substring(BUCKETS.length() + 1), caller, body);
        }
        if (path.startsWith(USAGE) && head.method().equals("GET")) {
            boolean check = QueryParameters.of(head.query()).text("check").equals("true");
            return json(200, calls.usages().usage(existing(path.substring(USAGE.length())), check));
        }
        if (path.startsWith(CACHED) && head.method().equals("GET")) {
            return json(
                    200,
                    calls.cached().page(existing(path.substring(CACHED.length())), QueryParameters.of(head.query())));
        }
        if (path.equals(SCRUB)) {
            return json(200, scrub(head, caller, body));
        }
        if (path.equals(RESILVER)) {
            return json(200, resilver(head, caller, body));
        }
        if (path.equals(JOBS)) {
            return json(200, jobs(head, caller, body));
        }
        if (path.startsWith(JOBS + "/")) {
            return json(200, job(head, path.substring(JOBS.length() + 1)));
        }
        if (path.equals(CLUSTER) && head.method().equals("POST")) {
            return json(200, calls.forgetting().act(JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY))));
        }
        if (path.equals(PAGE) && head.method().equals("POST")) {
            return json(200, JSON.createObjectNode().put("path", pagePath.apply(caller)));
        }
        var what = QueryParameters.of(head.query()).text("what");
        if (path.equals("/v1/daemon") && what.equals("smap")) {
            return json(200, smap(head));
        }
        if (MountpathApi.LOOKS.contains(path) && what.equals("mountpaths")) {
            return json(200, calls.mountpaths().show(head));
        }
        if (MountpathApi.CHANGES.contains(path)) {
            return json(
                    200,
                    calls.mountpaths().change(head, JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY))));
        }
        throw new S3Failure(S3Code.NOT_IMPLEMENTED, "%s %s is not served".formatted(head.method(), path));
    }

    private Response bucket(RequestHead head, String name, Caller caller, ByteSource body) throws IOException {
        return switch (head.method()) {
            case "HEAD" ->
                Response.empty(200)
                        .with(
                                "Ais-Bucket-Props",
                                BucketJson.show(existing(name)).toString());
            case "POST" -> {
                BucketName.checkNew(name);
                var value = message(head, caller, body, "create-bck");
                var properties = BucketJson.created(name, value, views.current().state());
                properties.backend().ifPresent(backend -> check(head, backend));
                calls.buckets().create(name, _ -> properties);
                yield Response.empty(200);
            }
            case "PATCH" -> {
                var value = message(head, caller, body, "set-bprops");
                calls.buckets().change(existing(name), properties -> BucketJson.changed(name, properties, value));
                yield Response.empty(200);
            }
            case "DELETE" -> {
                var value = message(head, caller, body, "destroy-bck");
                AccessCheck.authoriseDeletion(name, views.confirmed());
                calls.buckets().delete(name, value.path("force").asBoolean(false));
                yield Response.empty(200);
            }
            default -> throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for buckets");
        };
    }

    /// `?check=false` leaves the cloud unasked.
    private void check(RequestHead head, BackendSpec backend) {
        calls.backends().checkRules(backend);
        if (!QueryParameters.of(head.query()).text("check").equals("false")) {
            calls.backends().checkCloud(backend);
        }
    }

    private Bucket existing(String name) {
        return views.confirmed().bucket(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
    }

    /// The `value` of a message whose `action` must be this one.
    private static JsonNode message(RequestHead head, Caller caller, ByteSource body, String action)
            throws IOException {
        var message = JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY));
        if (!message.path("action").asText().equals(action)) {
            throw new IOException("expected a body {\"action\": \"%s\", \"value\": {…}}".formatted(action));
        }
        var value = message.path("value");
        return value.isMissingNode() || value.isNull() ? JSON.createObjectNode() : value;
    }

    private JsonNode resilver(RequestHead head, Caller caller, ByteSource body) throws IOException {
        return switch (head.method()) {
            case "GET" -> calls.resilvers().status(QueryParameters.of(head.query()));
            case "POST" -> calls.resilvers().act(JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY)));
            default -> throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for resilvers");
        };
    }

    private JsonNode jobs(RequestHead head, Caller caller, ByteSource body) throws IOException {
        return switch (head.method()) {
            case "GET" -> calls.jobs().list();
            case "POST" ->
                calls.jobs().start(JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY)), author(caller));
            default -> throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for the list of jobs");
        };
    }

    private static String author(Caller caller) {
        return caller.identity() instanceof Identity.User(var accessKey)
                ? accessKey
                : caller.identity().text();
    }

    private JsonNode job(RequestHead head, String id) {
        return switch (head.method()) {
            case "GET" -> calls.jobs().show(id);
            case "DELETE" -> calls.jobs().stop(id);
            default -> throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for a job");
        };
    }

    private JsonNode scrub(RequestHead head, Caller caller, ByteSource body) throws IOException {
        return switch (head.method()) {
            case "GET" -> calls.scrubs().status(QueryParameters.of(head.query()));
            case "POST" -> calls.scrubs().act(JSON.readTree(RequestBodies.read(head, caller, body, MAX_BODY)));
            default -> throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for scrubs");
        };
    }

    private JsonNode list() {
        var array = JSON.createArrayNode();
        for (var bucket : views.confirmed().state().buckets().buckets().values()) {
            array.add(BucketJson.show(bucket));
        }
        return array;
    }

    private JsonNode smap(RequestHead head) {
        var state = views.current().state();
        var smap = JSON.createObjectNode();
        var proxies = smap.putObject("pmap");
        var targets = smap.putObject("tmap");
        for (var node : state.map().nodes().values()) {
            (node.role() == Role.PROXY ? proxies : targets)
                    .set(node.id().value(), snode(node, ClientUrl.of(node, head)));
        }
        if (!proxies.isEmpty()) {
            smap.set("proxy_si", proxies.elements().next());
        }
        return smap.put("uuid", state.clusterId())
                .put("version", Long.toString(state.map().version()));
    }

    private static ObjectNode snode(Node node, String direct) {
        var url = URI.create(direct);
        var snode = JSON.createObjectNode()
                .put("daemon_type", node.role() == Role.PROXY ? "proxy" : "target")
                .put("daemon_id", node.id().value())
                .put("flags", 0);
        for (var net : new String[] {"public_net", "intra_data_net", "intra_control_net"}) {
            snode.putObject(net)
                    .put("node_ip_addr", url.getHost())
                    .put("daemon_port", Integer.toString(url.getPort()))
                    .put("direct_url", direct);
        }
        return snode;
    }

    static Response error(RequestHead head, S3Error error) {
        var json = JSON.createObjectNode()
                .put("tcode", error.code())
                .put("message", error.text())
                .put("method", head.method())
                .put("url_path", head.path())
                .put("status", error.status());
        return head.method().equals("HEAD")
                ? Response.empty(error.status()).with("Hdr-Error", json.toString())
                : json(error.status(), json);
    }

    private static Response json(int status, JsonNode value) {
        return Response.text(status, "application/json", value.toString());
    }
}
