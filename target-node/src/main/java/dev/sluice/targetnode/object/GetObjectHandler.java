package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.Asked;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.answer.Description;
import dev.sluice.targetnode.answer.ObjectAnswer;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.expiry.ExpiryDates;
import dev.sluice.targetnode.shard.ShardIndexes;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.shards.ShardSamples;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// GetObject and HeadObject: from memory or the page cache at once, else from the drive, else from the cloud behind
/// the bucket.
public final class GetObjectHandler {
    private static final Logger LOG = LoggerFactory.getLogger(GetObjectHandler.class);

    /// So often an object is looked for that has changed when it is found.
    private static final int MOST_ROUNDS = 10;

    private final ObjectStore store;
    private final ColdFill coldFill;
    private final Revalidation revalidation;
    private final DamagedCopies damagedCopies;
    private final BucketReads reads;
    private final ShardIndexes shards;
    private final ExpiryDates dates;

    public GetObjectHandler(
            ObjectStore store,
            ColdFill coldFill,
            Revalidation revalidation,
            DamagedCopies damagedCopies,
            BucketReads reads,
            ShardIndexes shards,
            ExpiryDates dates) {
        this.store = store;
        this.coldFill = coldFill;
        this.revalidation = revalidation;
        this.damagedCopies = damagedCopies;
        this.reads = reads;
        this.shards = shards;
        this.dates = dates;
    }

    public Answer get(ObjectCall call, S3Request.GetObject request) {
        return answer(call, Asked.of(request, call, dates), false);
    }

    public Answer head(ObjectCall call, S3Request.HeadObject request) {
        return answer(call, Asked.of(request, call, dates), true);
    }

    /// What is told of an object instead of its bytes.
    Answer describe(ObjectCall call, Description description) {
        return answer(call, Asked.of(description, call.bucket().backed()), true);
    }

    /// For a target that is away, of a bucket with a backend. What is on the drives here is not looked at.
    Answer getOfAway(ObjectCall call, S3Request.GetObject request) {
        if (request.member().isPresent()) {
            throw new StoreException.Unavailable("the target that has this shard is away");
        }
        var asked = Asked.of(request, true);
        return new Blocking(_ -> {
            var response = coldFill.past(call, asked, false);
            reads.count(call.bucket().id(), CacheResult.BYPASS, response);
            return response;
        });
    }

    Answer headOfAway(ObjectCall call, S3Request.HeadObject request) {
        return new Blocking(_ -> coldFill.past(call, Asked.of(request, true), true));
    }

    /// Never blocks: what is hot and verified is answered on the event loop.
    private Answer answer(ObjectCall call, Asked asked, boolean headOnly) {
        var hot = hot(call);
        var samples = hot.filter(_ -> asked.member().isPresent()).flatMap(shards::inMemory);
        if (hot.isPresent() && asked.member().isPresent() == samples.isPresent()) {
            var object = hot.get();
            var answer = answerOf(object, asked, CacheResult.HIT, samples);
            if (headOnly || object.bytes().isPresent() || object.ready(answer.offset(), answer.window())) {
                if (!headOnly) {
                    reads.count(call.bucket().id(), CacheResult.HIT, answer.length());
                }
                return response(object, answer, headOnly);
            }
        }
        hot.ifPresent(StoredObject::close);
        return new Blocking(_ -> find(call, asked, headOnly));
    }

    private Optional<StoredObject> hot(ObjectCall call) {
        var bucket = call.bucket();
        return store.serving(BucketRefs.of(bucket), call.key()).hot().filter(object -> isFresh(bucket, object));
    }

    private boolean isFresh(Bucket bucket, StoredObject object) {
        boolean fresh = revalidation.isSurelyFresh(bucket, object);
        if (!fresh) {
            object.close(); // the slow way asks the cloud
        }
        return fresh;
    }

    /// What one request has found so far.
    private static final class Tries {
        /// Of an object that is here now: whether this request waited for the cloud first.
        private CacheResult result = CacheResult.HIT;
        /// Those whose replica is bad.
        private final Set<String> drives = new HashSet<>();
        private Optional<ObjectVersion> damaged = Optional.empty();
        private Optional<StoreException> failed = Optional.empty();
        private boolean restored;
        private int fills;
    }

    private Response find(ObjectCall call, Asked asked, boolean headOnly) {
        var tries = new Tries();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            var found = look(call, asked, headOnly, tries);
            if (found.isPresent()) {
                if (!headOnly) {
                    reads.count(call.bucket().id(), tries.result, found.get());
                }
                return found.get();
            }
        }
        throw new StoreException.Unavailable(
                "the object was changed, or not readable, each time it was found; try again");
    }

    /// @return empty when what was found has changed meanwhile, or is bad
    private Optional<Response> look(ObjectCall call, Asked asked, boolean headOnly, Tries tries) {
        var bucket = call.bucket();
        return switch (store.lookup(BucketRefs.of(bucket), call.key(), tries.drives)) {
            case Lookup.Hit(var object) ->
                isOutdated(bucket, object) ? Optional.empty() : serve(object, call, asked, headOnly, tries);
            case Lookup.Damaged(var why) -> {
                if (tries.failed.isPresent() && tries.restored) {
                    throw tries.failed.get();
                }
                yield repaired(call, asked, headOnly, why, tries);
            }
            case Lookup.Unknown(var why) -> {
                if (!bucket.backed()) {
                    throw new StoreException.Unavailable("Whether this object is stored cannot be known now: " + why);
                }
                yield filled(call, asked, headOnly, tries);
            }
            case Lookup.Miss() -> {
                if (!bucket.backed()) {
                    throw new StoreException.NoSuchKey(call.key());
                }
                yield filled(call, asked, headOnly, tries);
            }
        };
    }

    private boolean isOutdated(Bucket bucket, StoredObject object) {
        boolean serves = false;
        try {
            serves = revalidation.check(bucket, object) == Revalidation.Verdict.SERVE;
            return !serves;
        } finally {
            if (!serves) {
                object.close();
            }
        }
    }

    private Optional<Response> filled(ObjectCall call, Asked asked, boolean headOnly, Tries tries) {
        if (asked.member().isPresent()) {
            if (tries.fills++ > 1) {
                throw new StoreException.Unavailable("the shard was fetched, but is not found: try again");
            }
            tries.result = CacheResult.MISS; // where samples are is known when all bytes of a shard are here
            boolean _ = Await.interruptible(() -> coldFill.store(call.bucket(), call.key()));
            return Optional.empty();
        }
        var filled = coldFill.answer(call, asked, headOnly);
        tries.result = filled.result();
        return filled.response();
    }

    /// The first bytes are verified before the head is sent, so that damage becomes another copy's answer, or an error,
    /// and not a broken 200.
    private Optional<Response> serve(StoredObject object, ObjectCall call, Asked asked, boolean headOnly, Tries tries) {
        ObjectAnswer answer;
        try {
            answer = answerOf(object, asked, tries.result, samples(object, asked));
            object.willRead(answer.offset(), answer.length());
            if (!headOnly && answer.length() > 0 && object.bytes().isEmpty()) {
                Await.whole(object.prepare(answer.offset(), answer.window()).toCompletableFuture());
            }
        } catch (RuntimeException | Error e) {
            object.close();
            if (!(e instanceof StoreException failure)) {
                throw e;
            }
            boolean damaged = failure instanceof StoreException.Damaged;
            if ((damaged || failure instanceof StoreException.Unavailable) && object.hasLostSlices()) {
                return Optional.empty();
            } else if (!damaged && !(failure instanceof StoreException.DriveFailed)) {
                throw failure; // a condition, a range
            }
            LOG.error("{}: the copy on drive {}: {}", call.request().name(), object.drive(), failure.getMessage());
            if (!tries.drives.add(object.drive())) {
                throw failure;
            }
            tries.damaged = damaged ? Optional.of(object.record().version()) : tries.damaged;
            tries.failed = damaged ? tries.failed : Optional.of(failure);
            return Optional.empty();
        }
        return Optional.of(response(object, answer, headOnly));
    }

    /// Bytes known bad are never sent; what another replica or the cloud still has is fetched again.
    private Optional<Response> repaired(ObjectCall call, Asked asked, boolean headOnly, String why, Tries tries) {
        var bucket = call.bucket();
        if (!tries.restored) {
            tries.restored = true;
            tries.drives.clear();
            if (store.serving(BucketRefs.of(bucket), call.key()).restore()) {
                return Optional.empty();
            }
            if (tries.failed.isPresent()) {
                throw tries.failed.get();
            }
        }
        LOG.error("{} is damaged: {}", call.request().name(), why);
        if (!bucket.backed()) {
            throw new StoreException.Damaged("The object's bytes on the drive are not the ones that were written");
        }
        if (!damagedCopies.isInCloud(bucket, call.key())) {
            throw new StoreException.Damaged("The copy on the drive is damaged, and the cloud no longer has it");
        }
        boolean dropped = damagedCopies.drop(bucket, call.key(), tries.damaged);
        tries.drives.clear(); // there may be a new copy
        return dropped ? filled(call, asked, headOnly, tries) : Optional.empty();
    }

    /// Where they are, when a member of a shard is asked for. Blocks.
    private Optional<ShardSamples> samples(StoredObject object, Asked asked) {
        return asked.member().map(_ -> {
            ObjectAnswer.requireConditions(ObjectAnswer.Known.of(object.record()), asked);
            return shards.of(object);
        });
    }

    private static ObjectAnswer answerOf(
            StoredObject object, Asked asked, CacheResult result, Optional<ShardSamples> samples) {
        try {
            var known = ObjectAnswer.Known.of(object.record());
            return samples.isPresent()
                    ? ObjectAnswer.of(known, asked, result, samples.get())
                    : ObjectAnswer.of(known, asked, result);
        } catch (RuntimeException refused) {
            object.close();
            throw refused;
        }
    }

    private static Response response(StoredObject object, ObjectAnswer answer, boolean headOnly) {
        if (headOnly || answer.text().isPresent()) {
            object.close();
            return answer.withoutBytes();
        }
        var bytes = object.bytes();
        if (bytes.isPresent()) {
            object.close();
            var slice = bytes.get().slice((int) answer.offset(), (int) answer.length());
            return new Response(answer.status(), answer.headers(), new ResponseBody.Bytes(slice));
        }
        return new Response(
                answer.status(),
                answer.headers(),
                new ResponseBody.FileRange(object, answer.offset(), answer.length()));
    }
}
