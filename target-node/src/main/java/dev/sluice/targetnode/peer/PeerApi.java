package dev.sluice.targetnode.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.StateUpdate;
import dev.sluice.common.cluster.StateUpdate.Snapshot;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.BeatQuery;
import dev.sluice.common.peer.ListingCodec;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.peer.RemoteControlPlane;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.SentState;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.RaftCall;
import dev.sluice.targetnode.controller.raft.RaftHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The calls of [PeerPaths] on this target: its [TargetService] and, on the controller, the cluster's state. Refuses
/// whoever has no peer token.
public final class PeerApi implements HttpHandler {
    private final PeerTokens tokens;
    private final SealedSecrets secrets;
    private final Optional<TargetService> here;
    private final Optional<ReplicaService> replica;
    private final Optional<RaftHandler> raft;
    private final ClusterViews views;
    private final ControlPlane control;
    private final boolean controller;

    /// @param here empty on a proxy, which answers none of these calls
    /// @param raft this node's part of the controllers' log
    /// @param controller whether this node keeps the cluster's state, so that `control` is the real thing
    public PeerApi(
            PeerTokens tokens,
            SealedSecrets secrets,
            Optional<TargetService> here,
            Optional<ReplicaService> replica,
            Optional<RaftHandler> raft,
            ClusterViews views,
            ControlPlane control,
            boolean controller) {
        this.tokens = tokens;
        this.secrets = secrets;
        this.here = here;
        this.replica = replica;
        this.raft = raft;
        this.views = views;
        this.control = control;
        this.controller = controller;
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
        return new Blocking(body -> {
            try {
                return call(
                        caller.get(),
                        head,
                        QueryParameters.of(head.query()),
                        head.headers().has(PeerTokens.BODY_HEADER) ? PeerTokens.command(head, body) : new byte[0]);
            } catch (StoreException e) {
                return failure(503, PeerFailure.of(e));
            } catch (IllegalArgumentException | IOException e) {
                return failure(400, new PeerFailure("Malformed", head.path() + ": " + e.getMessage()));
            }
        });
    }

    private Response call(NodeId caller, RequestHead head, QueryParameters query, byte[] body) throws IOException {
        if (head.path().equals(PeerPaths.RAFT)) {
            return bytes(RaftCall.of(query.text("call")).deliver(raft(), body));
        }
        var target = here.orElseThrow(() -> new StoreException.Unavailable("a proxy keeps no objects"));
        return switch (head.path()) {
            case PeerPaths.LIST -> bytes(ListingCodec.encode(target.list(bucket(query), keys(query))));
            case PeerPaths.LIST_CLOUD -> bytes(ListingCodec.encode(target.listCloud(bucket(query), keys(query))));
            case PeerPaths.CHECK_BACKEND -> json(target.checkBackend(ClusterJson.read(body, BackendSpec.class)));
            case PeerPaths.UPLOADS ->
                json(target.listUploads(
                        bucket(query),
                        new UploadsQuery(query.text("prefix"), query.text("key"), query.text("upload"), (int)
                                query.number("limit"))));
            case PeerPaths.DELETE ->
                json(target.delete(bucket(query), List.of(ClusterJson.read(body, S3Request.Deletion[].class))));
            case PeerPaths.EMPTY ->
                json(target.isEmpty(
                        bucket(query),
                        query.number("version"),
                        !query.text("uploads").equals("false")));
            case PeerPaths.DROP -> {
                target.drop(query.number("id"), query.text("bucket"));
                yield Response.empty(204);
            }
            case PeerPaths.USAGE -> json(target.usage(List.of(ClusterJson.read(body, Long[].class))));
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
            case PeerPaths.REPLICA_CONTENT -> replica().content(query);
            case PeerPaths.STATE -> controller ? newerState(query) : notController();
            case PeerPaths.COMMAND ->
                controller ? applied(query, ClusterJson.read(body, Command.class)) : notController();
            default -> failure(404, new PeerFailure("Malformed", "no such call: " + head.path()));
        };
    }

    private ReplicaService replica() {
        return replica.orElseThrow(() -> new StoreException.Unavailable("a proxy keeps no objects"));
    }

    private RaftHandler raft() {
        return raft.orElseThrow(() -> new StoreException.Unavailable("this node has no part of the controllers' log"));
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
            if (!controller) {
                return notController();
            }
            var beat = BeatQuery.read(query);
            if (!beat.target().equals(caller)) {
                return failure(403, new PeerFailure("Denied", caller + " cannot beat for another target"));
            }
            return json(control.beat(beat));
        } catch (StoreException e) {
            return failure(503, PeerFailure.of(e));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return failure(400, new PeerFailure("Malformed", PeerPaths.BEAT + ": " + e.getMessage()));
        }
    }

    private Response applied(QueryParameters query, Command command) {
        var state = control.apply(command);
        return update(query, state.formed() ? control.updateSince(query.number("after")) : new Snapshot(state));
    }

    private Response newerState(QueryParameters query) {
        long after = query.number("after");
        if (after < 0 || query.text("now").equals("true")) {
            return control.current().version() == after
                    ? Response.empty(204)
                    : update(query, control.updateSince(after));
        }
        var watch = control.watch(after);
        try {
            watch.get(RemoteControlPlane.POLL.toMillis(), TimeUnit.MILLISECONDS);
            return update(query, control.updateSince(after));
        } catch (TimeoutException e) {
            watch.cancel(false); // nobody waits for it any more
            return Response.empty(204); // nothing new: ask again
        } catch (ExecutionException e) {
            throw new StoreException.Unavailable("the watch failed: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("shutting down");
        }
    }

    private Response update(QueryParameters query, StateUpdate update) {
        return bytes(SentState.seal(update, query.text("verifies").equals("true"), secrets));
    }

    private static Response notController() {
        throw new StoreException.Unavailable("this node is not the controller");
    }

    private static Response bytes(byte[] bytes) {
        return new Response(
                200,
                Headers.of("Content-Type", "application/octet-stream"),
                new ResponseBody.Bytes(ByteBuffer.wrap(bytes)));
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
