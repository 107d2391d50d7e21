package dev.sluice.proxy.s3;

import dev.sluice.common.auth.Caller;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Error;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.DeleteObjectsXml;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.parse.S3Bodies;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.RequestBodies;
import dev.sluice.proxy.gateway.Targets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/// DeleteObjects: the keys go to their primaries in groups, and each has its own outcome.
public final class DeleteObjectsHandler {
    private final ClusterViews views;
    private final Targets targets;

    public DeleteObjectsHandler(ClusterViews views, Targets targets) {
        this.views = views;
        this.targets = targets;
    }

    Response handle(
            S3Request.DeleteObjects request,
            Bucket bucket,
            ClusterView view,
            Caller caller,
            RequestHead head,
            ByteSource body) {
        var document = RequestBodies.read(head, caller, body, S3Bodies.LARGEST_DELETE);
        RequestBodies.verify(document, request.checksums(), request.contentMd5());
        var list = S3Bodies.deleteObjects(document);
        var policy = view.policy(bucket);
        var denied = list.deletions().stream()
                .map(S3Request.Deletion::key)
                .filter(key -> policy.denies(S3Action.DELETE_OBJECT.permission(), bucket.name(), key))
                .collect(Collectors.toSet());
        var allowed = list.deletions().stream()
                .filter(each -> !denied.contains(each.key()))
                .distinct()
                .toList();
        var outcomes = new HashMap<S3Request.Deletion, DeleteOutcome>();
        byPrimary(allowed, bucket).forEach((node, deletions) -> {
            var done = delete(node, bucket, deletions, body::abandoned);
            for (int i = 0; i < Math.min(deletions.size(), done.size()); i++) {
                outcomes.put(deletions.get(i), done.get(i));
            }
        });
        var deleted = new ArrayList<String>();
        var failed = new ArrayList<DeleteObjectsXml.Failed>();
        for (var deletion : list.deletions()) {
            var key = deletion.key();
            if (denied.contains(key)) {
                failed.add(new DeleteObjectsXml.Failed(key, AccessCheck.denied().error()));
                continue;
            }
            var outcome = outcomes.get(deletion);
            if (outcome == null) {
                throw new StoreException.Unavailable("a target did not say what became of " + key);
            }
            var failure = outcome.failure();
            if (failure.isPresent()) {
                failed.add(new DeleteObjectsXml.Failed(key, error(failure.get().toException())));
            } else {
                deleted.add(key);
            }
        }
        return S3Responses.xml(DeleteObjectsXml.of(deleted, failed, list.quiet()));
    }

    /// Beside the message the result has a place for the key only, not for the condition.
    private static S3Error error(StoreException failure) {
        return failure instanceof StoreException.PreconditionFailed
                ? S3Errors.inOurWords(failure)
                : S3Errors.of(failure);
    }

    private Map<Node, List<S3Request.Deletion>> byPrimary(List<S3Request.Deletion> deletions, Bucket bucket) {
        var view = views.current();
        var groups = new LinkedHashMap<Node, List<S3Request.Deletion>>();
        for (var deletion : deletions) {
            groups.computeIfAbsent(view.primary(bucket, deletion.key()), _ -> new ArrayList<>())
                    .add(deletion);
        }
        return groups;
    }

    private List<DeleteOutcome> delete(
            Node node, Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        try {
            return targets.of(node).delete(bucket, deletions, abandoned);
        } catch (StoreException e) {
            var failure = Optional.of(PeerFailure.of(e));
            return deletions.stream()
                    .map(deletion -> new DeleteOutcome(deletion.key(), failure))
                    .toList();
        }
    }
}
