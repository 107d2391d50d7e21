package dev.sluice.proxy.api;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import dev.sluice.proxy.gateway.Targets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Optional;

/// Refuses a job that cannot do anything, before it begins: the bucket has no cloud, or no key matches.
final class JobMatches {
    private final ClusterViews views;
    private final Targets targets;
    private final TargetFanout each;

    JobMatches(ClusterViews views, Targets targets, TargetFanout each) {
        this.views = views;
        this.targets = targets;
        this.each = each;
    }

    /// @throws StoreException.InvalidArgument when the bucket is not for such jobs
    /// @throws S3Failure 404 when no key begins with the prefix
    void require(JobKind kind, Bucket bucket, String prefix) {
        if (!bucket.backed() && kind.equals(JobKind.INDEX)) {
            requireStored(bucket, prefix);
            return;
        }
        if (!bucket.backed()) {
            throw new StoreException.InvalidArgument(
                    "The bucket %s has no backend: its objects are in no cloud, so a job of the kind %s is not for it"
                            .formatted(bucket.name(), kind.text()));
        }
        if (kind.equals(JobKind.EVICT)) {
            requireUnpinned(bucket);
            requireStored(bucket, prefix);
        } else if (!kind.equals(JobKind.REFRESH)) { // what is being fetched is in no list yet
            requireInCloud(bucket, prefix);
        }
    }

    private static void requireUnpinned(Bucket bucket) {
        if (bucket.properties().cache().evict() == CacheRules.Evict.NEVER) {
            throw new StoreException.InvalidArgument(
                    "The objects of %s are pinned (evict = never): run 'sluice bucket set %s --evict auto' first"
                            .formatted(bucket.name(), bucket.name()));
        }
    }

    private void requireStored(Bucket bucket, String prefix) {
        var query = new ListQuery(prefix, "", "", 1);
        var found = each.answers(
                target -> Found.of(!target.list(bucket, query).objects().isEmpty()),
                failure -> new Found(false, Optional.of(failure)));
        if (found.values().stream().noneMatch(Found::any)) {
            found.values().stream().flatMap(answer -> answer.failure().stream()).forEach(failure -> {
                throw failure; // it may have some
            });
            var here = bucket.backed() ? "cached" : "stored";
            throw nothing(
                    prefix.isEmpty()
                            ? "No object of %s is %s".formatted(bucket.name(), here)
                            : "%s has no %s key that begins with '%s'".formatted(bucket.name(), here, prefix));
        }
    }

    /// What one target says.
    private record Found(boolean any, Optional<StoreException> failure) {
        static Found of(boolean any) {
            return new Found(any, Optional.empty());
        }
    }

    /// One question to the cloud, by the first target that answers.
    private void requireInCloud(Bucket bucket, String prefix) {
        var query = new ListQuery(prefix, "", "", 1);
        var nodes = new ArrayList<>(views.current().routing().targets());
        Collections.rotate(nodes, -(int) (bucket.id() % nodes.size())); // buckets ask different ones first
        for (var asked = nodes.iterator(); asked.hasNext(); ) {
            try {
                if (targets.of(asked.next()).listCloud(bucket, query).isEmpty()) {
                    throw nothing(
                            prefix.isEmpty()
                                    ? "The cloud bucket behind %s is empty".formatted(bucket.name())
                                    : "The cloud bucket behind %s has no key that begins with '%s'"
                                            .formatted(bucket.name(), prefix));
                }
                return;
            } catch (StoreException.Unavailable away) {
                if (!asked.hasNext()) {
                    throw away;
                }
            }
        }
    }

    private static S3Failure nothing(String message) {
        return new S3Failure(S3Code.NOTHING_MATCHES, message);
    }
}
