package dev.sluice.targetnode.replica.peers;

import dev.sluice.common.peer.SteadyBody;
import dev.sluice.targetnode.replica.loop.RecordBytes;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;

/// What came from another replica.
///
/// @param found empty when it has nothing
/// @param body the object's bytes
public record ReceivedContent(Optional<ObjectRecord> found, InputStream body) implements AutoCloseable {
    /// Of the sender, for its next bytes.
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    public static ReceivedContent of(ReplicaPeers.Content content) throws IOException {
        return of(content, PATIENCE);
    }

    /// @param next how long until the next bytes come
    public static ReceivedContent of(ReplicaPeers.Content content, Duration next) throws IOException {
        var body = new SteadyBody(content.body(), next);
        boolean read = false;
        try {
            Optional<ObjectRecord> record = content.recordLength() == 0
                    ? Optional.empty()
                    : Optional.of(RecordBytes.decode(body.readNBytes(Math.toIntExact(content.recordLength()))));
            read = true;
            return new ReceivedContent(record, body);
        } finally {
            if (!read) {
                body.close();
            }
        }
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    public ObjectRecord record() throws IOException {
        return found.orElseThrow(() -> new IOException("the other replica has nothing"));
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
