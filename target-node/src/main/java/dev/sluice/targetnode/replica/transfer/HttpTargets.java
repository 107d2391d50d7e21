package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.http.Headers;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;

/// Reaches the other targets by HTTP.
public final class HttpTargets implements ReplicaPeers {
    private static final Duration CALL = Duration.ofSeconds(2);

    /// Whoever answers later was not heard for a second.
    private static final Duration PING = Duration.ofMillis(900);

    /// An answer is old after half a second.
    private static final Duration WRITABLE = Duration.ofMillis(400);

    private final PeerClient peers;
    private final PeerClient pings;

    public HttpTargets(PeerClient peers) {
        this.peers = peers;
        this.pings = peers.apart("pings");
    }

    @Override
    public void deliver(PeerAddress to, byte[] batch) {
        peers.post(to, PeerPaths.REPLICA, "", batch, CALL);
    }

    @Override
    public void ping(PeerAddress to) {
        var _ = pings.get(to, PeerPaths.PING, "", PING);
    }

    @Override
    public SortedMap<String, Integer> writable(PeerAddress to) throws IOException {
        return ClusterJson.read(pings.get(to, PeerPaths.WRITABLE, "", WRITABLE), Drives.class);
    }

    private static final class Drives extends TreeMap<String, Integer> {}

    @Override
    public void close() {
        pings.close();
    }

    @Override
    public Content content(PeerAddress from, String query, Duration firstByte) throws IOException {
        var response = peers.open(from, PeerPaths.REPLICA_CONTENT + "?" + query, Headers.EMPTY, firstByte);
        if (response.statusCode() != 200) {
            response.body().close();
            throw new IOException("%s answered %d".formatted(from.id(), response.statusCode()));
        }
        long record =
                response.headers().firstValueAsLong(ContentSource.RECORD_HEADER).orElse(0);
        long position = response.headers()
                .firstValueAsLong(ContentSource.POSITION_HEADER)
                .orElse(Slice.NONE);
        return new Content(record, (int) position, response.body());
    }
}
