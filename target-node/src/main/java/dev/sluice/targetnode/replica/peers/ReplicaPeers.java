package dev.sluice.targetnode.replica.peers;

import dev.sluice.common.peer.PeerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.SortedMap;

/// The other targets that keep replicas, as this one reaches them. What it asks for, their
/// [dev.sluice.targetnode.replica.Replicator] does.
public interface ReplicaPeers extends AutoCloseable {
    /// Hands over messages about slots. Blocks until the other target has them.
    ///
    /// @param batch each message after its length
    /// @throws dev.sluice.common.store.StoreException.Unavailable when it does not say so in time
    void deliver(PeerAddress to, byte[] batch);

    /// Asks whether the other target is well. Blocks, on connections of its own.
    ///
    /// @throws dev.sluice.common.store.StoreException.Unavailable when it does not say so in time
    void ping(PeerAddress to);

    /// Asks which drives of the other target can write now. Blocks.
    ///
    /// @return with their incarnations
    /// @throws IOException when the answer is malformed
    /// @throws dev.sluice.common.store.StoreException.Unavailable when it does not answer in time
    SortedMap<String, Integer> writable(PeerAddress to) throws IOException;

    /// Asks for an object's record and bytes. Blocks until they begin to come. Who has the bytes asks its drive's loop
    /// first, and reads from its drive.
    ///
    /// @param query as below
    default Content content(PeerAddress from, String query) throws IOException {
        return content(from, query, Duration.ofSeconds(10));
    }

    /// @param query what [dev.sluice.targetnode.replica.transfer.ContentAnswers#answer] understands
    /// @param firstByte how long they may take until they begin
    /// @throws IOException when the other target refuses
    /// @throws dev.sluice.common.store.StoreException.Unavailable when it does not answer in time
    Content content(PeerAddress from, String query, Duration firstByte) throws IOException;

    @Override
    default void close() {}

    /// @param recordLength how many bytes of the body are the record; 0 when the other target has no such object, or
    ///     was asked for a slice alone
    /// @param position of the slice that was asked for; [Slice#NONE] when the other target has none
    /// @param body to be closed, by any thread; that ends a read
    record Content(long recordLength, int position, InputStream body) {}
}
