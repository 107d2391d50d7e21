package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Header;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.Description;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.ObjectStore;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/// The switch: which handler answers a request on an object.
public final class ObjectRouter {
    private final NodeId node;
    private final ClusterViews views;
    private final ObjectStore store;
    private final ParkedRequests parked;
    private final ObjectActions actions;

    public ObjectRouter(
            NodeId node, ClusterViews views, ObjectStore store, ParkedRequests parked, ObjectActions actions) {
        this.node = node;
        this.views = views;
        this.store = store;
        this.parked = parked;
        this.actions = actions;
    }

    public Answer object(ObjectCall call) {
        if (!isServed(call)) {
            return new Blocking(body -> afterParking(call, body));
        }
        return served(call);
    }

    public Answer objectOfAway(ObjectCall call) {
        return switch (call.request()) {
            case S3Request.GetObject get -> withoutRdma(call, actions.gets().getOfAway(call, get));
            case S3Request.HeadObject head -> actions.gets().headOfAway(call, head);
            default -> throw new StoreException.NotPrimary("only reads are answered for a target that is away");
        };
    }

    /// Whether this target may answer for an object now. Never blocks.
    public boolean isServed(ObjectCall call) {
        return store.writer(BucketRefs.of(call.bucket())).serves(call.bucket().id(), call.key());
    }

    /// Whether the map names another target, which the node that was asked looks for then. Whoever relayed a request
    /// may have a newer map.
    private boolean isElsewhere(ObjectCall call) {
        try {
            return !call.relayed()
                    && !views.current().primary(call.bucket(), call.key()).id().equals(node);
        } catch (StoreException.Unavailable _) {
            return false; // this target does not know yet
        }
    }

    private Response afterParking(ObjectCall call, ByteSource body) {
        body.holdBack();
        if (!parked.await(() -> isServed(call), () -> body.abandoned() || isElsewhere(call))) {
            throw new StoreException.NotPrimary("this target may not serve this key now: the map of slots is changing");
        }
        var answer = served(call);
        if (answer instanceof Blocking(var work)) {
            answer = work.run(body);
        }
        if (answer instanceof Response response) {
            return response;
        }
        throw new IllegalStateException("a target answers by itself: " + answer);
    }

    private Answer served(ObjectCall call) {
        return actions.encryption().told(call, answered(call));
    }

    private Answer answered(ObjectCall call) {
        return switch (call.request()) {
            case S3Request.GetObject get -> withoutRdma(call, actions.gets().get(call, get));
            case S3Request.HeadObject head -> actions.gets().head(call, head);
            case S3Request.GetObjectAcl _ -> existing(call, () -> S3Responses.xml(SettingXml.acl(Owner.SLUICE)));
            case S3Request.PutObjectAcl _ -> existing(call, () -> Response.empty(200));
            case S3Request.GetObjectAttributes attributes ->
                actions.gets().describe(call, new Description.Attributes(attributes));
            case S3Request.GetObjectTagging _ ->
                call.bucket().backed()
                        ? new Blocking(_ -> actions.cloudTags().of(call.bucket(), call.key()))
                        : actions.gets().describe(call, new Description.Tagging());
            case S3Request.PutObject _,
                    S3Request.CopyObject _,
                    S3Request.DeleteObject _,
                    S3Request.CreateMultipartUpload _,
                    S3Request.UploadPart _,
                    S3Request.UploadPartCopy _,
                    S3Request.ListParts _,
                    S3Request.CompleteMultipartUpload _,
                    S3Request.AbortMultipartUpload _ -> new Blocking(body -> blocking(call, body));
        };
    }

    /// A client that asked for the bytes by RDMA gets them by HTTP.
    private static Answer withoutRdma(ObjectCall call, Answer answer) {
        return call.head().headers().has(S3Header.RDMA_TOKEN) ? answer.with("x-amz-rdma-reply", "501") : answer;
    }

    /// The same for each object that there is.
    private Answer existing(ObjectCall call, Supplier<Response> answer) {
        var head = new S3Request.HeadObject(
                call.request().name(), Optional.empty(), Conditions.NONE, Optional.empty(), false, new TreeMap<>());
        return new Blocking(body -> {
            if (actions.gets().head(call, head) instanceof Blocking(var look)) {
                var _ = look.run(body);
            }
            return answer.get();
        });
    }

    private Response blocking(ObjectCall call, ByteSource body) {
        return switch (call.request()) {
            case S3Request.PutObject put -> {
                requireKept(call, put.attributes());
                yield actions.puts().handle(call, put, body);
            }
            case S3Request.CopyObject copy -> {
                actions.encryption().require(call.bucket(), copy.attributes());
                yield actions.copies().object(call, copy, body);
            }
            case S3Request.DeleteObject delete ->
                actions.deletes().handle(call.bucket(), call.key(), delete.conditions(), body);
            case S3Request.CreateMultipartUpload create -> {
                requireKept(call, create.attributes());
                yield actions.multipart().create(call, create);
            }
            case S3Request.UploadPart part -> actions.multipart().part(call, part, body);
            case S3Request.UploadPartCopy copy -> actions.copies().part(call, copy);
            case S3Request.ListParts list -> actions.multipart().list(call, list);
            case S3Request.CompleteMultipartUpload complete ->
                actions.completions().handle(call, complete, body);
            case S3Request.AbortMultipartUpload abort -> actions.multipart().abort(call, abort);
            case S3Request.GetObject _,
                    S3Request.HeadObject _,
                    S3Request.GetObjectAcl _,
                    S3Request.PutObjectAcl _,
                    S3Request.GetObjectAttributes _,
                    S3Request.GetObjectTagging _ -> throw new IllegalStateException("reads are answered before");
        };
    }

    /// A copy's tags are known later.
    private void requireKept(ObjectCall call, WriteAttributes attributes) {
        actions.encryption().require(call.bucket(), attributes);
        actions.cloudTags().requireKept(call.bucket(), attributes);
    }
}
