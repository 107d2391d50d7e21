package dev.sluice.targetnode.controller;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says to each other controller, several times a second, what this one knows, and hears the same. One that does not
/// answer costs the others nothing.
final class ControllerStatuses implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerStatuses.class);
    private static final Duration EACH = Duration.ofMillis(200);
    private static final Duration LIMIT = Duration.ofMillis(500);

    /// So many words in a row without an answer are an outage.
    private static final int COMPLAIN = 10;

    private final PeerClient peers;
    private final Controller controller;
    private final List<Thread> threads;
    private volatile boolean closed;

    ControllerStatuses(PeerClient peers, Controller controller, List<PeerAddress> others) {
        this.peers = peers.apart("controllers");
        this.controller = controller;
        this.threads = others.stream()
                .map(other -> Thread.ofPlatform()
                        .name("words to " + other.id())
                        .daemon()
                        .start(() -> sayForEver(other)))
                .toList();
    }

    private void sayForEver(PeerAddress other) {
        int failures = 0;
        while (!closed) {
            try {
                say(other);
                failures = 0;
            } catch (StoreException | IOException away) {
                failures++;
                if (failures == COMPLAIN && !closed) { // once for each outage
                    LOG.info("controller {} does not answer: {}", other.id(), away.getMessage());
                }
            } catch (RuntimeException bug) {
                LOG.error("nothing is said to controller {}: a bug", other.id(), bug);
            }
            LockSupport.parkNanos(EACH.toNanos());
        }
    }

    private void say(PeerAddress other) throws IOException {
        var answer = ClusterJson.read(
                peers.post(other, PeerPaths.CONTROLLER, "", ClusterJson.write(controller.word()), LIMIT),
                ControllerStatus.class);
        if (!answer.controller().equals(other.id())) {
            throw new IOException(answer.controller() + " answers for it");
        }
        controller.heard(answer);
    }

    @Override
    public void close() {
        closed = true;
        threads.forEach(LockSupport::unpark);
        peers.close();
    }
}
