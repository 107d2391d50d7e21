package dev.sluice.targetnode.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.peer.HeartbeatQuery;
import dev.sluice.common.peer.ListingCodec;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.SentState;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.ControllerNode;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.log.RaftCall;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The calls of [PeerPaths] on this target: its [TargetService] and, on a controller, the cluster's state. Refuses
/// whoever has no peer token.
public final class PeerApi implements HttpHandler {
    private static final long LONGEST_POLL = Duration.ofSeconds(20).toMillis();

    private static final int MOST_WAITING = 256;
    private static final Headers BYTES = Headers.of("Content-Type", "application/octet-stream");

    /// Three times as many as one server of the log answers at once.
    private final Executor raftThreads = threads("raft-", 18);

    private final Executor controllerThreads = threads("controllers-", 2);
    private final PeerTokens tokens;
    private final SealedSecrets secrets;
    private final Optional<TargetService> here;
    private final Optional<ReplicaService> replica;
    private final Optional<ControllerNode> controller;
    private final ClusterViews views;

    /// @param here empty on a proxy, which answers none of these calls
    /// @param controller empty where this node is none
    public PeerApi(
            PeerTokens tokens,
            SealedSecrets secrets,
            Optional<TargetService> here,
            Optional<ReplicaService> replica,
            Optional<ControllerNode> controller,
            ClusterViews views) {
        this.tokens = tokens;
        this.secrets = secrets;
        this.here = here;
        this.replica = replica;
        this.controller = controller;
        this.views = views;
    }

    @Override
    public Answer answer(RequestHead head) {
        var caller = tokens.verify(head);
        if (caller.isEmpty()) {
            return failure(403, new PeerFailure("Denied", "only nodes of this cluster may call " + head.path()));
        }
        if (head.path().equals(PeerPaths.BEAT)) {
            return beat(caller.get(), QueryParameters.of(head.query()));
        }
        if (head.path().equals(PeerPaths.PING)) {
            return ping(caller.get());
        }
        return new Blocking(body -> {
            try {
                return call(
                        caller.get(),
                        head,
                        QueryParameters.of(head.query()),
                        head.headers().has(PeerTokens.BODY_HEADER) ? PeerTokens.command(head, body) : new byte[0],
                        body::abandoned);
            } catch (StoreException e) {
                return failure(503, PeerFailure.of(e));
            } catch (IllegalArgumentException | IOException e) {
                return failure(400, new PeerFailure("Malformed", head.path() + ": " + e.getMessage()));
            }
        });
    }

    /// Calls between controllers do not wait for the two processors that carry virtual threads: an election would be
    /// the consequence.
    @Override
    public Optional<Executor> threads(RequestHead head) {
        return switch (head.path()) {
            case PeerPaths.RAFT -> Optional.of(raftThreads);
            case PeerPaths.CONTROLLER -> Optional.of(controllerThreads);
            case PeerPaths.REPLICA -> replica.map(service -> batch -> begin(service, batch));
            default -> Optional.empty();
        };
    }

    /// A batch waits for its thread from now on, when bytes of it are here: not while its sender takes its time.
    private static void begin(ReplicaService service, Runnable batch) {
        var begun = service.arrived();
        Thread.ofVirtual().name("messages").start(() -> {
            begun.run();
            batch.run();
        });
    }

    private static Executor threads(String name, int count) {
        var threads = new ThreadPoolExecutor(
                count,
                count,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                Thread.ofPlatform().name(name, 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private Response call(
            NodeId caller, RequestHead head, QueryParameters query, byte[] body, BooleanSupplier abandoned)
            throws IOException {
        return switch (head.path()) {
            case PeerPaths.STATE -> told(query, newerState(query));
            case PeerPaths.COMMAND ->
                told(query, leading(query).apply(ClusterJson.read(body, Command.class), query.number("after")));
            case PeerPaths.CONTROLLER -> word(caller, ClusterJson.read(body, ControllerStatus.class));
            case PeerPaths.RAFT ->
                bytes(RaftCall.of(query.text("call")).deliver(controller().raft(), body));
            default -> targetCall(caller, head, query, body, abandoned);
        };
    }

    private Response targetCall(
            NodeId caller, RequestHead head, QueryParameters query, byte[] body, BooleanSupplier abandoned)
            throws IOException {
        var target = here.orElseThrow(() -> new StoreException.Unavailable("a proxy keeps no objects"));
        return switch (head.path()) {
            case PeerPaths.LIST -> bytes(ListingCodec.encode(target.list(bucket(query), keys(query))));
            case PeerPaths.LIST_CLOUD -> bytes(ListingCodec.encode(target.listCloud(bucket(query), keys(query))));
            case PeerPaths.CHECK_BACKEND -> json(target.checkBackend(ClusterJson.read(body, BackendSpec.class)));
            case PeerPaths.SAMPLES ->
                new Response(
                        200,
                        BYTES,
                        target.samples(SampleBatch.parse(body, true)).body());
            case PeerPaths.UPLOADS ->
                json(target.listUploads(
                        bucket(query),
                        new UploadsQuery(query.text("prefix"), query.text("key"), query.text("upload"), (int)
                                query.number("limit"))));
            case PeerPaths.DELETE ->
                json(target.delete(
                        bucket(query), List.of(ClusterJson.read(body, S3Request.Deletion[].class)), abandoned));
            case PeerPaths.EMPTY ->
                json(target.isEmpty(
                        bucket(query),
                        query.number("version"),
                        !query.text("uploads").equals("false")));
            case PeerPaths.USAGE -> json(target.usage(List.of(ClusterJson.read(body, Long[].class))));
            case PeerPaths.HELD -> json(target.held(ClusterJson.read(body, SlotQuestion.class)));
            case PeerPaths.EXPIRY -> json(target.expiry(query.number("id")));
            case PeerPaths.READS -> json(target.reads(query.number("id")));
            case PeerPaths.MOUNTPATHS -> json(target.mountpaths());
            case PeerPaths.MOUNTPATH ->
                json(target.changeMountpath(MountpathChange.valueOf(query.text("change")), query.text("drive")));
            case PeerPaths.SCRUB -> json(target.scrub(ClusterJson.read(body, ScrubCommand.class)));
            case PeerPaths.RESILVER -> json(target.resilver(ClusterJson.read(body, ResilverCommand.class)));
            case PeerPaths.JOBS -> json(target.jobs(query.find("id")));
            case PeerPaths.REPLICA -> {
                replica().messages(caller, body);
                yield Response.empty(204);
            }
            case PeerPaths.WRITABLE -> json(replica().writable());
            case PeerPaths.REPLICA_CONTENT -> replica().content(query);
            default -> failure(404, new PeerFailure("Malformed", "no such call: " + head.path()));
        };
    }

    private ReplicaService replica() {
        return replica.orElseThrow(() -> new StoreException.Unavailable("a proxy keeps no objects"));
    }

    private ControllerNode controller() {
        return controller.orElseThrow(
                () -> new StoreException.NotLeader("this node is no controller", Optional.empty()));
    }

    private Response word(NodeId caller, ControllerStatus word) {
        return word.controller().equals(caller)
                ? json(controller().exchange(word))
                : failure(403, new PeerFailure("Denied", caller + " cannot speak for another controller"));
    }

    private static ListQuery keys(QueryParameters query) {
        return new ListQuery(
                query.text("prefix"), query.text("delimiter"), query.text("from"), (int) query.number("limit"));
    }

    /// The bucket under its name *and* id, so that a name used again is not mistaken for the bucket that was meant.
    private Bucket bucket(QueryParameters query) {
        var name = query.text("bucket");
        long id = query.number("id");
        return views.current()
                .bucket(name)
                .or(() -> views.confirmed().bucket(name))
                .filter(bucket -> bucket.id() == id)
                .orElseThrow(() -> new StoreException.NoSuchBucket(name));
    }

    /// On the event loop: a beat waits for nothing else.
    private Response beat(NodeId caller, QueryParameters query) {
        try {
            var beat = HeartbeatQuery.read(query);
            if (!beat.target().equals(caller)) {
                return failure(403, new PeerFailure("Denied", caller + " cannot beat for another target"));
            }
            return json(controller().service().beat(beat));
        } catch (StoreException e) {
            return failure(503, PeerFailure.of(e));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return failure(400, new PeerFailure("Malformed", PeerPaths.BEAT + ": " + e.getMessage()));
        }
    }

    /// On the event loop, as a beat.
    private Response ping(NodeId caller) {
        return replica.filter(target -> target.ping(caller)).isPresent()
                ? Response.empty(204)
                : failure(503, new PeerFailure("Unavailable", "messages wait for long here"));
    }

    /// What another controller has passed on is not passed on again.
    private ControllerService leading(QueryParameters query) {
        return query.text("passed").equals("true")
                ? controller().service()
                : controller().forOthers();
    }

    private ControllerService.Told newerState(QueryParameters query) {
        long after = query.number("after");
        return query.text("now").equals("true")
                ? leading(query).confirm(after)
                : controller()
                        .service()
                        .newer(after, Duration.ofMillis(Math.min(query.number("patience"), LONGEST_POLL)));
    }

    private Response told(QueryParameters query, ControllerService.Told told) {
        return bytes(SentState.seal(told, query.text("verifies").equals("true"), secrets));
    }

    private static Response bytes(byte[] bytes) {
        return new Response(200, BYTES, new ResponseBody.Bytes(ByteBuffer.wrap(bytes)));
    }

    private static Response json(Object value) {
        return json(200, value);
    }

    private static Response failure(int status, PeerFailure failure) {
        return json(status, failure);
    }

    private static Response json(int status, Object value) {
        return new Response(
                status,
                Headers.of("Content-Type", "application/json"),
                new ResponseBody.Bytes(ByteBuffer.wrap(ClusterJson.write(value))));
    }
}
