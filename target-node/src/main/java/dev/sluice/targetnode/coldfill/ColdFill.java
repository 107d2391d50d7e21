package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendStream;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.ObjectAnswer;
import dev.sluice.targetnode.bucket.Refs;
import dev.sluice.targetnode.storage.ObjectStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;

/// Answers GETs of objects that are only in the cloud yet. All readers of an object share one fetch; a range far from
/// where that fetch is gets a request of its own first; when the drive has no room the bytes pass through unstored.
public final class ColdFill {
    /// A reader this close behind the fetch waits for it rather than ask the cloud again.
    private static final long NEAR = 8 << 20;

    private final ObjectStore store;
    private final BucketBackends backends;
    private final Fills fills;
    private final Executor digests;

    /// @param digests a pool of about one thread per core, for MD5 and the like
    public ColdFill(
            ObjectStore store,
            BucketBackends backends,
            Fills fills,
            Executor digests,
            NodeId node,
            MeterRegistry meters) {
        this.store = store;
        this.backends = backends;
        this.fills = fills;
        this.digests = digests;
        meters.gauge("sluice.fills.running", Tags.of("node", node.value()), fills, Fills::count);
    }

    /// @throws StoreException NoSuchKey when the cloud has no such object, BackendUnavailable when it does not answer
    public Response answer(ObjectCall call, ObjectAnswer.Asked asked, boolean headOnly) {
        var bucket = call.bucket();
        var key = call.key();
        var backend = backends.of(bucket);
        if (headOnly) {
            var answer = ObjectAnswer.of(known(backend.head(key)), asked);
            return new Response(answer.status(), answer.headers(), new ResponseBody.LengthOnly(answer.length()));
        }
        try {
            return fromFill(bucket, key, backend, asked);
        } catch (StoreException.NoSpace _) {
            return passedThrough(backend, key, asked);
        }
    }

    private Response fromFill(Bucket bucket, String key, Backend backend, ObjectAnswer.Asked asked) {
        var fill = fills.joinOrStart(new Fills.Key(bucket.id(), key), name -> start(bucket, name, backend));
        var object = fill.object();
        var answer = ObjectAnswer.of(known(object), asked);
        if (answer.offset() > fill.available() + NEAR) {
            return passedThrough(backend, key, asked); // the range first, the whole object goes on behind it
        }
        if (!fill.join()) {
            return passedThrough(backend, key, asked); // ended and let go between the two calls
        }
        return streamed(answer, sink -> {
            try {
                fill.copy(answer.offset(), answer.length(), sink);
            } finally {
                fill.leave();
            }
        });
    }

    private Fill start(Bucket bucket, Fills.Key name, Backend backend) {
        var fill = new Fill(
                store, backend, Refs.of(bucket), name.key(), Refs.durability(bucket), digests, () -> fills.ended(name));
        Thread.ofVirtual().name("fill").start(fill);
        return fill;
    }

    private static Response passedThrough(Backend backend, String key, ObjectAnswer.Asked asked) {
        var object = backend.head(key);
        var answer = ObjectAnswer.of(known(object), asked);
        if (answer.length() == 0) {
            return streamed(answer, _ -> {});
        }
        var range = new ByteRange.FromTo(answer.offset(), answer.offset() + answer.length() - 1);
        var stream = backend.get(key, BackendRead.of(range).ifVersion(object.version()));
        return streamed(answer, sink -> copy(stream, sink));
    }

    private static void copy(BackendStream stream, ByteSink sink) throws IOException {
        try (stream) {
            for (var bytes = stream.body().next();
                    bytes.hasRemaining();
                    bytes = stream.body().next()) {
                sink.write(bytes);
            }
        }
    }

    private static Response streamed(ObjectAnswer answer, ResponseBody.Writer writer) {
        return new Response(answer.status(), answer.headers(), new ResponseBody.Streamed(answer.length(), writer));
    }

    private static ObjectAnswer.Known known(BackendObject object) {
        return new ObjectAnswer.Known(
                object.size(),
                object.etag(),
                object.lastModified(),
                object.checksums(),
                object.headers(),
                object.userMetadata(),
                List.of());
    }
}
