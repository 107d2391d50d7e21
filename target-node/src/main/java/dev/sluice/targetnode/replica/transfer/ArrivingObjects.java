package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.storage.slots.Arriving;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// Objects whose bytes come to this target, the primary of their keys. The other replicas are told, and take the bytes
/// while they come ([ArrivingCopies]); the write names them then. Nobody counts on that: what a replica has not got by
/// then it asks for as ever.
public final class ArrivingObjects implements Announcements {
    private static final int READ = 256 << 10;

    private final Messages messages;
    private final Map<String, Arriving> all = new ConcurrentHashMap<>();

    public ArrivingObjects(Messages messages) {
        this.messages = messages;
    }

    @Override
    public Optional<String> announce(LocalReplica replica, SlotRow row, long bucketId, Arriving bytes) {
        var name = UUID.randomUUID().toString();
        all.put(name, bytes);
        long told = row.members().stream()
                .filter(member -> bytes.at(member.position())
                        .filter(its -> messages.announce(
                                replica,
                                member.drive(),
                                new Message.Arriving(bucketId, name, member.position(), its.size())))
                        .isPresent())
                .count();
        if (told == 0) {
            end(name);
            return Optional.empty();
        }
        return Optional.of(name);
    }

    @Override
    public void end(String name) {
        all.remove(name);
    }

    /// The bytes, as they come.
    ///
    /// @param position of the replica that asks
    Response answer(String name, int position) {
        var bytes = Optional.ofNullable(all.get(name))
                .flatMap(object -> object.at(position))
                .filter(Arriving::retain)
                .orElseThrow(() -> new StoreException.Unavailable("these bytes have come already"));
        return new Response(
                200,
                Headers.of("Content-Type", "application/octet-stream"),
                new ResponseBody.Streamed(bytes.size(), sink -> {
                    try {
                        follow(bytes, sink);
                    } finally {
                        bytes.release();
                    }
                }));
    }

    /// Ends with the upload at the latest: a reader that takes nothing is cut off as every client is.
    private static void follow(Arriving bytes, ByteSink sink) throws IOException {
        for (long at = 0; at < bytes.size(); ) {
            long from = at;
            long there = Math.min(bytes.size(), bytes.awaitBeyond(from));
            int sent = sink.write((int) Math.min(READ, there - from), into -> bytes.readAt(from, into));
            if (sent == 0) {
                throw new IOException("the staging file ends before byte " + from);
            }
            bytes.taken(System.nanoTime());
            at += sent;
        }
    }
}
