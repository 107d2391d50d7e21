package dev.sluice.targetnode.replica.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Whom a target hears, tick by tick: two others, which answer at once or not at all.
@Timeout(60)
class PingsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long TICK = 50_000_000;

    private final NodeId one = new NodeId("target002");
    private final NodeId other = new NodeId("target003");
    private final Set<NodeId> away = new HashSet<>();
    private final Set<NodeId> mute = new HashSet<>();
    private long now;
    private final Pings pings = new Pings(
            new NodeId("target001"),
            () -> List.of(new PeerAddress(one, "http://one"), new PeerAddress(other, "http://other")),
            new Answering(),
            () -> now,
            Runnable::run);

    private final class Answering implements ReplicaPeers {
        @Override
        public void deliver(PeerAddress to, byte[] batch) {
            throw new UnsupportedOperationException("no message is sent");
        }

        @Override
        public void ping(PeerAddress to) {
            if (away.contains(to.id())) {
                throw new StoreException.Unavailable("no answer");
            }
        }

        @Override
        public SortedMap<String, Integer> writable(PeerAddress to) {
            throw new UnsupportedOperationException("no drive is asked");
        }

        @Override
        public Content content(PeerAddress from, String query, Duration firstByte) {
            throw new UnsupportedOperationException(query);
        }
    }

    private void pass(int ticks) {
        for (int i = 0; i < ticks; i++) {
            now += TICK;
            for (var each : List.of(one, other)) {
                if (!mute.contains(each)) {
                    pings.came(each);
                }
            }
            pings.tick();
        }
    }

    @Test
    void hasNoOpinionUntilTheOthersCouldAnswer() {
        pass(23);
        assertThat(pings.heard(SECOND)).isEmpty();
        pass(1);
        assertThat(pings.heard(SECOND)).contains(Set.of(one, other));
    }

    @Test
    void whoDoesNotAnswerIsHeardNoMore() {
        pass(30);
        away.add(other);
        pass(15);
        assertThat(pings.heard(SECOND)).contains(Set.of(one, other));
        pass(10);
        assertThat(pings.heard(SECOND)).contains(Set.of(one));
        away.clear();
        pass(5);
        assertThat(pings.heard(SECOND)).contains(Set.of(one, other));
    }

    @Test
    void whoCannotSendIsHeardNoMore() {
        pass(30);
        mute.add(other);
        pass(19);
        assertThat(pings.heard(SECOND)).contains(Set.of(one, other));
        pass(2);
        assertThat(pings.heard(SECOND)).contains(Set.of(one));
    }

    @Test
    void whoHasNeverSentIsNotHeard() {
        mute.add(other);
        pass(30);
        assertThat(pings.heard(SECOND)).contains(Set.of(one));
    }

    @Test
    void hasNoOpinionAfterItStoodStill() {
        pass(30);
        now += SECOND.toNanos();
        assertThat(pings.heard(SECOND)).as("before its next tick").isEmpty();
        pass(20);
        assertThat(pings.heard(SECOND)).isEmpty();
        pass(10);
        assertThat(pings.heard(SECOND)).contains(Set.of(one, other));
    }
}
