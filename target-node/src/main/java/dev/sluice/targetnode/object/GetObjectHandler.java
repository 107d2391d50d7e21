package dev.sluice.targetnode.object;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.FileSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.ObjectAnswer;
import dev.sluice.targetnode.bucket.Refs;
import dev.sluice.targetnode.coldfill.ColdFill;
import dev.sluice.targetnode.storage.Lookup;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// GetObject and HeadObject: from memory or the page cache at once, else from the drive, else from the cloud behind the
/// bucket.
final class GetObjectHandler {
    private static final Logger LOG = LoggerFactory.getLogger(GetObjectHandler.class);

    private final ObjectStore store;
    private final ColdFill coldFill;

    GetObjectHandler(ObjectStore store, ColdFill coldFill) {
        this.store = store;
        this.coldFill = coldFill;
    }

    Answer get(ObjectCall call, S3Request.GetObject request) {
        return answer(call, ObjectAnswer.Asked.of(request), false);
    }

    Answer head(ObjectCall call, S3Request.HeadObject request) {
        return answer(call, ObjectAnswer.Asked.of(request), true);
    }

    /// Never blocks: what is hot and verified is answered on the event loop.
    private Answer answer(ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly) {
        var hot = store.hot(call.bucket().id(), call.key());
        if (hot.isPresent()) {
            var object = hot.get();
            var answer = answerOf(object, asked);
            if (headOnly || object.bytes().isPresent() || object.ready(answer.offset(), window(answer))) {
                return response(object, answer, headOnly);
            }
            object.close();
        }
        return new Blocking(_ -> find(call, asked, headOnly));
    }

    private Response find(ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly) {
        while (true) {
            var found = look(call, asked, headOnly);
            if (found.isPresent()) {
                return found.get();
            }
        }
    }

    /// @return empty when what was found has changed meanwhile
    private Optional<Response> look(ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly) {
        var bucket = call.bucket();
        return switch (store.lookup(Refs.of(bucket), call.key())) {
            case Lookup.Hit(var object) -> serve(object, call, asked, headOnly);
            case Lookup.Damaged(var why) -> repaired(call, asked, headOnly, why, Optional.empty());
            case Lookup.Miss() -> {
                if (!bucket.backed()) {
                    throw new StoreException.NoSuchKey(call.key());
                }
                yield coldFill.answer(call, asked, headOnly);
            }
        };
    }

    /// The first bytes are verified before the head is sent, so that damage becomes an error and not a broken 200.
    private Optional<Response> serve(StoredObject object, ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly) {
        var answer = answerOf(object, asked);
        if (headOnly || answer.length() == 0 || object.bytes().isPresent()) {
            return Optional.of(response(object, answer, headOnly));
        }
        try {
            object.prepare(answer.offset(), window(answer))
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            object.close();
            if (e.getCause() instanceof StoreException.Damaged damaged) {
                var version = Optional.of(object.record().version());
                return repaired(call, asked, false, String.valueOf(damaged.getMessage()), version);
            }
            throw e.getCause() instanceof StoreException failure ? failure : e;
        }
        return Optional.of(response(object, answer, false));
    }

    /// Bytes known bad are never sent. What the cloud still has is fetched again; the bad file is kept, to be looked
    /// at, until the cloud answers.
    ///
    /// @param version of the damaged copy, where that could be read
    private Optional<Response> repaired(
            ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly, String why, Optional<ObjectVersion> version) {
        LOG.error("{} is damaged: {}", call.request().name(), why);
        var bucket = call.bucket();
        if (!bucket.backed()) {
            throw new StoreException.Damaged("The object's bytes on the drive are not the ones that were written");
        }
        coldFill.requireCloud(call);
        if (!isStillThere(Refs.of(bucket), call.key(), version)) {
            return Optional.empty(); // another reader was faster
        }
        // synced, as each deletion of a copy: a power cut must not bring it back after a write through us
        store.delete(Refs.of(bucket), call.key(), WriteCheck.NONE, Durability.FSYNC);
        return coldFill.answer(call, asked, headOnly);
    }

    private boolean isStillThere(BucketRef bucket, String key, Optional<ObjectVersion> damaged) {
        return switch (store.lookup(bucket, key)) {
            case Lookup.Hit(var object) -> {
                object.close();
                yield damaged.equals(Optional.of(object.record().version()));
            }
            case Lookup.Damaged _ -> true;
            case Lookup.Miss() -> false;
        };
    }

    private static ObjectAnswer answerOf(StoredObject object, ObjectAnswer.Asked asked) {
        try {
            return ObjectAnswer.of(ObjectAnswer.Known.of(object.record()), asked);
        } catch (RuntimeException refused) {
            object.close();
            throw refused;
        }
    }

    private static Response response(StoredObject object, ObjectAnswer answer, boolean headOnly) {
        if (headOnly) {
            object.close();
            return new Response(answer.status(), answer.headers(), new ResponseBody.LengthOnly(answer.length()));
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

    private static int window(ObjectAnswer answer) {
        return (int) Math.min(FileSource.WINDOW, answer.length());
    }
}
