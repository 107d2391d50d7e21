package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// How a leader's log goes to its followers, where calls hang, fail and answer what they should not.
@Timeout(60)
class OwnAppenderTest {
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int SOME = 10;

    @TempDir
    private Path root;

    private TestServers servers;

    @BeforeEach
    void start() throws IOException {
        servers = new TestServers(root);
        servers.openAll();
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private static boolean isHeartbeat(byte[] request) throws IOException {
        return AppendEntriesRequestProto.parseFrom(request).getEntriesCount() == 0;
    }

    /// Whoever makes the leader step down holds the monitor until all appenders have ended. One that waited for it then
    /// would keep the server from voting for five seconds.
    @Test
    void appenderThatHearsOfANewerTermDoesNotWaitForTheServersMonitor() throws Exception {
        var leader = servers.awaitLeader();
        servers.propose(1, 8);
        var answered = new AtomicInteger();
        var held = new CountDownLatch(1);
        var holds = new CountDownLatch(1);
        var holder = Thread.ofPlatform().start(() -> {
            synchronized (servers.server(leader).monitor()) {
                holds.countDown();
                try {
                    held.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        holds.await();
        servers.network.appendBy((_, _, request, _) -> {
            var asked = AppendEntriesRequestProto.parseFrom(request);
            answered.incrementAndGet();
            return AppendEntriesReplyProto.newBuilder()
                    .setServerReply(RaftRpcReplyProto.newBuilder()
                            .setRequestorId(asked.getServerRequest().getRequestorId())
                            .setReplyId(asked.getServerRequest().getReplyId())
                            .setRaftGroupId(asked.getServerRequest().getRaftGroupId())
                            .setCallId(asked.getServerRequest().getCallId())
                            .setSuccess(false))
                    .setTerm(asked.getLeaderTerm() + 1)
                    .setResult(AppendResult.NOT_LEADER)
                    .build()
                    .toByteArray();
        });
        try {
            eventually(() -> answered.get() >= SOME);
        } finally {
            held.countDown();
            holder.join(TimeUnit.SECONDS.toMillis(20));
        }
        servers.network.appendBy((_, _, request, handler) -> handler.append(request));
        servers.propose(2, 8);
    }

    /// A follower names its own next index in the answer to a heartbeat, and what it has before it may be
    /// another entry.
    @Test
    void answersToHeartbeatsCommitNothing() throws Exception {
        var leader = servers.awaitLeader();
        servers.propose(1, 8);
        var beats = new AtomicInteger();
        servers.network.appendBy((_, _, request, handler) -> {
            if (!isHeartbeat(request)) {
                throw new IOException("entries are lost");
            }
            beats.incrementAndGet();
            var reply = AppendEntriesReplyProto.parseFrom(handler.append(request));
            return reply.toBuilder()
                    .setNextIndex(reply.getNextIndex() + 100)
                    .build()
                    .toByteArray();
        });
        assertThatThrownBy(() -> servers.server(leader).propose(NumberMachine.entry(2, 8), SHORT))
                .isInstanceOf(ConsensusException.OutcomeUnknown.class);
        assertThat(beats.get()).isGreaterThan(1);
        assertThat(servers.server(leader).isLeader())
                .as("the followers are there")
                .isTrue();
        assertThat(servers.numbers(leader)).containsExactly(1L);
        servers.network.appendBy((_, _, request, handler) -> handler.append(request));
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).equals(List.of(1L, 2L))));
    }

    /// Else a slow drive of a follower is the loss of the majority.
    @Test
    void leaderStaysAndAnswersWhileEntriesAreNotAnswered() throws Exception {
        var leader = servers.awaitLeader();
        servers.propose(1, 8);
        var term = servers.server(leader).term();
        var release = new CountDownLatch(1);
        servers.network.appendBy((_, _, request, handler) -> {
            if (!isHeartbeat(request)) {
                try {
                    release.await();
                } catch (InterruptedException broken) {
                    throw new IOException("the call was given up", broken);
                }
            }
            return handler.append(request);
        });
        for (int i = 0; i < 3; i++) {
            var entry = NumberMachine.entry(2 + i, 8);
            assertThatThrownBy(() -> servers.server(leader).propose(entry, SHORT))
                    .isInstanceOf(ConsensusException.OutcomeUnknown.class);
            servers.server(leader).confirm(SHORT);
        }
        assertThat(servers.server(leader).term()).isEqualTo(term);
        release.countDown();
        eventually(() ->
                TestServers.PEERS.stream().allMatch(id -> servers.numbers(id).size() == 4));
    }
}
