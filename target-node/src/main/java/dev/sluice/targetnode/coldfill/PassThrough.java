package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendStream;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.Asked;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.answer.ObjectAnswer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.DoubleSupplier;

/// Answers reads with what the cloud has, and keeps nothing of it. A whole object is verified on its way.
final class PassThrough {
    private final Executor digests;

    PassThrough(Executor digests) {
        this.digests = digests;
    }

    Response answer(Backend backend, String key, Asked asked, boolean headOnly) {
        if (headOnly) {
            return head(backend.head(key), asked, CacheResult.BYPASS);
        }
        var sure = asked.unlessUncertain();
        return body(backend, backend.get(key, read(sure)), sure, CacheResult.BYPASS);
    }

    static Response head(BackendObject object, Asked asked, CacheResult result) {
        return ObjectAnswer.of(known(object), asked, result).withoutBytes();
    }

    /// An object from the cloud has one part, whatever it was uploaded in: itself.
    static BackendRead read(Asked asked) {
        return new BackendRead(asked.partNumber().isPresent() ? Optional.empty() : asked.range(), Optional.empty());
    }

    /// @param backend that the stream is from
    Response body(Backend backend, BackendStream stream, Asked asked, CacheResult result) {
        boolean answered = false;
        try {
            var answer = ObjectAnswer.of(known(stream.object()), asked, result);
            if (answer.offset() != stream.offset() || answer.length() != stream.length()) {
                throw new StoreException.BackendUnavailable(
                        "the cloud sends another range than was asked for",
                        new IOException("%d+%d".formatted(stream.offset(), stream.length())));
            }
            answered = true;
            return streamed(answer, sink -> copy(stream, sink), backend::shortage);
        } finally {
            if (!answered) {
                stream.close();
            }
        }
    }

    /// Of a whole object the last bytes are held back until all of it was found to be right.
    private void copy(BackendStream stream, ByteSink sink) throws IOException {
        try (var body =
                stream.whole() ? BackendChecks.of(stream.object()).verifying(stream.body(), digests) : stream.body()) {
            long left = stream.length();
            for (var bytes = body.next(); bytes.hasRemaining(); bytes = body.next()) {
                left -= bytes.remaining();
                if (left == 0) {
                    var last = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
                    if (body.next().hasRemaining()) {
                        throw new IOException("the cloud sends more than it said");
                    }
                    sink.write(last);
                    return;
                }
                sink.write(bytes);
            }
        }
    }

    /// Of an object that is being stored: it holds the file alone.
    static Response followed(ObjectAnswer answer, ResponseBody.Writer writer) {
        return streamed(answer, writer, () -> 0);
    }

    /// @param shortage of what is held while the client takes nothing
    private static Response streamed(ObjectAnswer answer, ResponseBody.Writer writer, DoubleSupplier shortage) {
        return new Response(
                answer.status(),
                answer.headers(),
                new ResponseBody.Streamed(answer.length(), writer.holding(shortage)));
    }

    static ObjectAnswer.Known known(BackendObject object) {
        return new ObjectAnswer.Known(
                object.size(),
                object.etag(),
                object.lastModified(),
                object.checksums(),
                object.headers(),
                object.userMetadata(),
                Optional.empty());
    }
}
