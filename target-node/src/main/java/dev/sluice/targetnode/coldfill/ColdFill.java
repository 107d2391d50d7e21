package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendStream;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.Asked;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.answer.ObjectAnswer;
import dev.sluice.targetnode.storage.ObjectStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers reads of objects that are only in the cloud yet. All readers of an object share one fetch; a range far from
/// where that fetch is gets a request of its own first; when the drive has no room the bytes pass through unstored.
public final class ColdFill {
    private static final Logger LOG = LoggerFactory.getLogger(ColdFill.class);

    /// A reader this close behind the fetch waits for it rather than ask the cloud again.
    private static final long NEAR = 8 << 20;

    private final ObjectStore store;
    private final BucketBackends backends;
    private final Fills fills;
    private final Revalidation revalidation;
    private final Fetching fetching;
    private final PassThrough passThrough;
    private final HeadFills headFills;
    private final ColdRanges coldRanges;

    public ColdFill(
            ObjectStore store,
            BucketBackends backends,
            Fills fills,
            Revalidation revalidation,
            Fetching fetching,
            NodeId node,
            MeterRegistry meters) {
        this.store = store;
        this.backends = backends;
        this.fills = fills;
        this.revalidation = revalidation;
        this.fetching = fetching;
        this.passThrough = new PassThrough(fetching.digests());
        this.headFills =
                new HeadFills(backends.maxConnections(), fetching.parallel().lanes(), node, meters);
        this.coldRanges = new ColdRanges(revalidation::now);
        meters.gauge("sluice.fills.running", Tags.of("node", node.value()), fills, Fills::count);
    }

    /// Asks the cloud whether it has an object, and keeps nothing.
    ///
    /// @throws StoreException when the cloud does not answer, or refuses us
    public boolean isInCloud(Bucket bucket, String key) {
        try {
            backends.of(bucket).head(key);
            return true;
        } catch (StoreException.NoSuchKey _) {
            return false;
        }
    }

    /// What became of a request.
    ///
    /// @param result in the response too
    /// @param response empty when the store is to be asked again: a fill has ended since it was
    public record Filled(CacheResult result, Optional<Response> response) {
        private static Filled with(CacheResult result, Response response) {
            return new Filled(result, Optional.of(response));
        }

        private static Filled lookAgain(CacheResult result) {
            return new Filled(result, Optional.empty());
        }
    }

    /// @throws StoreException NoSuchKey when the cloud has none, BackendUnavailable when it does not answer
    public Filled answer(ObjectCall call, Asked asked, boolean headOnly) {
        var bucket = call.bucket();
        var key = call.key();
        var backend = backends.of(bucket);
        if (headOnly) {
            return asked.firstByte()
                    ? begun(bucket, key, backend, asked)
                    : head(backend.head(key), asked, CacheResult.BYPASS);
        }
        try {
            return range(bucket, key, backend, asked).orElseGet(() -> fromFill(bucket, key, backend, asked));
        } catch (StoreException.NoSpace _) {
            return Filled.with(CacheResult.BYPASS, passThrough.answer(backend, key, asked, false));
        }
    }

    /// Answers for a target that is away: from the cloud alone, and nothing is kept.
    ///
    /// @throws StoreException Unavailable where the cloud has none, and that target may have it all the same
    public Response past(ObjectCall call, Asked asked, boolean headOnly) {
        try {
            return passThrough.answer(backends.of(call.bucket()), call.key(), asked, headOnly);
        } catch (StoreException.NoSuchKey | StoreException.NoSuchBucket none) {
            if (call.bucket().properties().cache().revalidate().equals(Revalidate.NEVER)) {
                throw new StoreException.Unavailable(
                        "the cloud has no %s, but the target that may have cached it is away".formatted(call.key()));
            }
            throw none;
        }
    }

    /// Stores an object that is only in the cloud yet, for no reader; shares the fetch with readers. Waits for its end.
    ///
    /// @return false when it was stored before, another's fetch stores it, or a client is writing it
    /// @throws StoreException what the cloud or the drive said instead; NoSpace when the drive took no more;
    ///     Unavailable, and when it can be asked again, while a write may still reach the cloud
    public boolean store(Bucket bucket, String key) throws InterruptedException {
        var backend = backends.of(bucket);
        var name = new Fills.Key(bucket.id(), key);
        requireSettled(name);
        var joined = fills.joinOrStart(name, () -> start(bucket, name, backend, () -> {}));
        if (joined.isEmpty()) {
            requireSettled(name);
            return false;
        }
        return switch (joined.get().fill().awaitEnd()) {
            case STORED -> joined.get().started();
            case THERE, SUPERSEDED -> false;
            case NO_ROOM -> throw new StoreException.NoSpace("a drive took no more of " + key);
        };
    }

    private void requireSettled(Fills.Key name) {
        var wait = fills.unsettled(name);
        if (wait.isPositive()) {
            throw new StoreException.Unavailable(
                    "a write of %s may still reach the cloud: it is not stored yet".formatted(name.key()), wait);
        }
    }

    /// Compares what others have begun to fetch with the cloud's. What is outdated, or cannot be compared, serves those
    /// who follow it, and is not stored.
    public void compareFills(Bucket bucket, String prefix) {
        fills.underWay(bucket.id()).forEach((name, fill) -> {
            if (name.key().startsWith(prefix) && !isOfTheCloud(bucket, name.key(), fill)) {
                fills.outdated(name, fill);
            }
        });
    }

    private boolean isOfTheCloud(Bucket bucket, String key, Fill fill) {
        try {
            var fetched = fill.awaitObject();
            return fetched.isEmpty()
                    || revalidation
                            .inCloud(bucket, key)
                            .filter(there ->
                                    there.version().equals(fetched.get().version()))
                            .isPresent();
        } catch (StoreException unknown) {
            LOG.debug("{}/{} is not compared while it is fetched: {}", bucket.name(), key, unknown.getMessage());
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    /// How many connections a fill of an object of this size may use.
    public int connections(long size) {
        var parallel = fetching.parallel();
        return size < parallel.from() ? 1 : parallel.lanes();
    }

    private static Filled head(BackendObject object, Asked asked, CacheResult result) {
        return Filled.with(result, PassThrough.head(object, asked, result));
    }

    /// Begins the fetch of the whole object for a HEAD; waits for what the cloud says of it, and not for its bytes.
    private Filled begun(Bucket bucket, String key, Backend backend, Asked asked) {
        var name = new Fills.Key(bucket.id(), key);
        var joined = fills.joinOrTry(name, () -> headFills.begin().map(ended -> start(bucket, name, backend, ended)));
        if (joined.isEmpty()) {
            return head(backend.head(key), asked, CacheResult.BYPASS);
        }
        try {
            var object = joined.get().fill().object();
            if (object.isPresent() && isOutdated(bucket, name, joined.get(), object.get())) {
                return Filled.lookAgain(CacheResult.FILL);
            }
            var result = joined.get().started() ? CacheResult.MISS : CacheResult.FILL;
            return object.map(found -> head(found, asked, result)).orElseGet(() -> Filled.lookAgain(CacheResult.HIT));
        } catch (StoreException.NoSpace _) {
            return head(backend.head(key), asked, CacheResult.BYPASS);
        }
    }

    /// The range alone, of a bucket whose cold ranges are passed.
    ///
    /// @return nothing when the whole object is to be fetched
    private Optional<Filled> range(Bucket bucket, String key, Backend backend, Asked asked) {
        var name = new Fills.Key(bucket.id(), key);
        if (bucket.properties().cache().coldRange() == CacheRules.ColdRange.FILL
                || asked.unlessUncertain().range().isEmpty()
                || fills.isUnderWay(name)
                || coldRanges.isEnough(name, asked.range().get())) {
            return Optional.empty();
        }
        var stream = range(name, backend, asked);
        boolean passed = false;
        try {
            passed = coldRanges.pass(name, stream.object(), stream.length());
        } finally {
            if (!passed) {
                stream.close();
            }
        }
        return passed
                ? Optional.of(
                        Filled.with(CacheResult.BYPASS, passThrough.body(backend, stream, asked, CacheResult.BYPASS)))
                : Optional.empty();
    }

    /// Of the version that the ranges before it were of, while the cloud has that.
    private BackendStream range(Fills.Key name, Backend backend, Asked asked) {
        var version = coldRanges.version(name);
        if (version.isPresent()) {
            try {
                return backend.get(name.key(), PassThrough.read(asked).ifVersion(version.get()));
            } catch (StoreException.PreconditionFailed _) {
                coldRanges.forget(name);
            }
        }
        return backend.get(name.key(), PassThrough.read(asked));
    }

    private Filled fromFill(Bucket bucket, String key, Backend backend, Asked asked) {
        var name = new Fills.Key(bucket.id(), key);
        var joined = fills.joinOrStart(name, () -> start(bucket, name, backend, () -> {}));
        if (joined.isEmpty()) {
            return Filled.with(CacheResult.BYPASS, passThrough.answer(backend, key, asked, false));
        }
        var fill = joined.get().fill();
        var object = fill.object();
        if (object.isEmpty() || isOutdated(bucket, name, joined.get(), object.get())) {
            return Filled.lookAgain(CacheResult.FILL); // where it is empty, another fill has stored it
        }
        var result = joined.get().started() ? CacheResult.MISS : CacheResult.FILL;
        var answer = ObjectAnswer.of(PassThrough.known(object.get()), asked, result);
        if (answer.offset() - NEAR > fill.available()) {
            // the range first, the whole object goes on behind it
            try {
                var stream = backend.get(
                        key, PassThrough.read(asked).ifVersion(object.get().version()));
                return Filled.with(result, passThrough.body(backend, stream, asked, result));
            } catch (StoreException.PreconditionFailed _) {
                fills.outdated(name, fill);
                return Filled.lookAgain(result);
            }
        }
        if (!fill.join()) {
            return Filled.lookAgain(result); // ended and let go between the two calls
        }
        return Filled.with(result, PassThrough.followed(answer, sink -> {
            try {
                fill.copy(answer.offset(), answer.length(), sink);
            } finally {
                fill.leave();
            }
        }));
    }

    /// A fetch that others began long ago is compared as a cached object is. Nobody joins an outdated one any more.
    private boolean isOutdated(Bucket bucket, Fills.Key name, Fills.Joined joined, BackendObject object) {
        var fill = joined.fill();
        return !joined.started() && !revalidation.mayFollow(bucket, fill, object, () -> fills.outdated(name, fill));
    }

    private Fill start(Bucket bucket, Fills.Key name, Backend backend, Runnable whenEnded) {
        var fill = new Fill(
                store,
                backend,
                bucket,
                name.key(),
                fetching,
                ended -> {
                    fills.ended(name, ended);
                    whenEnded.run();
                },
                revalidation.now());
        Thread.ofVirtual().name("fill").start(fill);
        return fill;
    }
}
