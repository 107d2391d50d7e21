package dev.sluice.common.peer;

import dev.sluice.common.auth.SealedSecrets;
import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;

/// A controller on another node.
final class RemoteController implements ControllerService {
    private static final Duration CALL = Duration.ofSeconds(10);
    private static final Duration CONFIRM = Duration.ofSeconds(1);
    private static final Duration BEAT = Duration.ofMillis(500);

    /// How much longer than its patience a poll may take.
    private static final Duration SLACK = Duration.ofMillis(500);

    private final PeerClient peers;
    private final PeerClient beats;
    private final PeerAddress address;
    private final SealedSecrets secrets;
    private final boolean verifies;
    private final boolean passed;

    /// @param beats for heartbeats, which wait for nothing else
    /// @param verifies whether this node verifies clients' signatures: then it asks for their keys too
    RemoteController(PeerClient peers, PeerClient beats, PeerAddress address, SealedSecrets secrets, boolean verifies) {
        this(peers, beats, address, secrets, verifies, false);
    }

    private RemoteController(
            PeerClient peers,
            PeerClient beats,
            PeerAddress address,
            SealedSecrets secrets,
            boolean verifies,
            boolean passed) {
        this.peers = peers;
        this.beats = beats;
        this.address = address;
        this.secrets = secrets;
        this.verifies = verifies;
        this.passed = passed;
    }

    /// The same for what other nodes ask for: it passes nothing on, and tells the keys.
    RemoteController passingNothingOn() {
        return new RemoteController(peers, beats, address, secrets, true, true);
    }

    @Override
    public Told newer(long version, Duration patience) {
        var query = "after=%d&patience=%d&verifies=%s".formatted(version, patience.toMillis(), verifies);
        return opened(peers.get(address, PeerPaths.STATE, query, patience.plus(SLACK)), version);
    }

    @Override
    public Told confirm(long version) {
        var query = "after=%d&now=true&verifies=%s&passed=%s".formatted(version, verifies, passed);
        return opened(peers.get(address, PeerPaths.STATE, query, CONFIRM), version);
    }

    @Override
    public Told apply(Command command, long version) {
        var query = "after=%d&verifies=%s&passed=%s".formatted(version, verifies, passed);
        try {
            return opened(peers.post(address, PeerPaths.COMMAND, query, ClusterJson.write(command), CALL), version);
        } catch (StoreException.Unavailable away) {
            if (away.getCause() instanceof ConnectException || away.getCause() instanceof HttpConnectTimeoutException) {
                throw new StoreException.NotLeader(address.url() + " was not reached", away.getCause());
            }
            throw away;
        }
    }

    @Override
    public HeartbeatAnswer beat(Heartbeat beat) {
        var answer = beats.get(address, PeerPaths.BEAT, HeartbeatQuery.of(beat), BEAT);
        try {
            return ClusterJson.read(answer, HeartbeatAnswer.class);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    private Told opened(byte[] answer, long version) {
        try {
            return SentState.open(answer, secrets, version);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    private StoreException invalid(IOException e) {
        return new StoreException.Unavailable(
                "invalid response from the controller at %s: %s".formatted(address.url(), e.getMessage()));
    }
}
