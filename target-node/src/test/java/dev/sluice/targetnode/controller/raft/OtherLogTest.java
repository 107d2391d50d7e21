package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Servers of two logs that have the same ids, and reach each other.
@Timeout(90)
final class OtherLogTest {
    @TempDir
    Path root;

    private final LogId log = LogId.random();
    private final TestNetwork network = new TestNetwork();
    private final List<String> answered = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private TestServers servers;
    private TestServers strangers;

    @BeforeEach
    void begin() {
        servers = new TestServers(root.resolve("servers"), log, network);
        strangers = new TestServers(root.resolve("strangers"), LogId.random(), network);
    }

    @AfterEach
    void stop() {
        servers.close();
        strangers.close();
    }

    private interface Call {
        byte[] answer() throws IOException;
    }

    /// Notes what becomes of calls that come from the other log.
    private final class Watched implements RaftHandler {
        private final RaftHandler handler;
        private final List<String> senders;

        Watched(RaftHandler handler, List<String> senders) {
            this.handler = handler;
            this.senders = senders;
        }

        @Override
        public byte[] vote(byte[] request) throws IOException {
            var head = RequestVoteRequestProto.parseFrom(request).getServerRequest();
            return watch("vote", head, () -> handler.vote(request));
        }

        @Override
        public byte[] append(byte[] request) throws IOException {
            var head = AppendEntriesRequestProto.parseFrom(request).getServerRequest();
            return watch("append", head, () -> handler.append(request));
        }

        @Override
        public byte[] snapshot(byte[] request) throws IOException {
            var head = InstallSnapshotRequestProto.parseFrom(request).getServerRequest();
            return watch("snapshot", head, () -> handler.snapshot(request));
        }

        @Override
        public byte[] startElection(byte[] request) throws IOException {
            var head = StartLeaderElectionRequestProto.parseFrom(request).getServerRequest();
            return watch("election", head, () -> handler.startElection(request));
        }

        private byte[] watch(String what, RaftRpcRequestProto head, Call call) throws IOException {
            var from = RaftPeerId.valueOf(head.getRequestorId()).toString();
            try {
                var answer = call.answer();
                if (senders.contains(from)) {
                    answered.add(what + " of " + from);
                }
                return answer;
            } catch (IOException refusal) {
                if (senders.contains(from)) {
                    refused.add(what + " of " + from);
                }
                throw refusal;
            }
        }
    }

    private void open(TestServers of, String id, List<String> othersServers) throws IOException {
        network.add(id, new Watched(of.open(id).handler(), othersServers));
    }

    private boolean isRefused(String what) {
        return refused.stream().filter(what::equals).count() >= 5;
    }

    @Test
    void serverOfAnotherLogTakesNoEntryAndTheOthersGoOn() throws Exception {
        servers.openAll();
        servers.propose(0, 8);
        var leader = servers.awaitLeader();
        var replaced = TestServers.PEERS.stream()
                .filter(id -> !id.equals(leader))
                .findFirst()
                .orElseThrow();
        servers.close(replaced);
        open(strangers, replaced, List.of(leader));
        servers.propose(1, 8);
        eventually(() -> isRefused("append of " + leader));
        assertThat(answered).isEmpty();
        assertThat(strangers.numbers(replaced)).isEmpty();
        assertThat(strangers.server(replaced).leader()).isEmpty();
        assertThat(servers.numbers(leader)).containsExactly(0L, 1L);
    }

    @Test
    void serversOfAnotherLogDoNotVote() throws Exception {
        open(servers, "a", List.of("b", "c"));
        open(strangers, "b", List.of("a"));
        open(strangers, "c", List.of("a"));
        var leader = strangers.awaitLeader();
        strangers.propose(1, 8);
        eventually(() -> isRefused("vote of a") && isRefused("append of " + leader));
        assertThat(answered).isEmpty();
        assertThat(servers.server("a").leader()).isEmpty();
        assertThat(servers.numbers("a")).isEmpty();
        assertThat(strangers.numbers(leader)).containsExactly(1L);
    }

    @Test
    void everyKindOfCallOfAnotherLogIsRefused() throws Exception {
        servers.openAll();
        var handler = servers.server("a").handler();
        var head = RaftRpcRequestProto.newBuilder()
                .setRequestorId(ByteString.copyFromUtf8("b"))
                .setReplyId(ByteString.copyFromUtf8("a"))
                .setRaftGroupId(
                        ProtoUtils.toRaftGroupIdProtoBuilder(LogId.random().group()))
                .build();
        var vote = RequestVoteRequestProto.newBuilder().setServerRequest(head).build();
        var append =
                AppendEntriesRequestProto.newBuilder().setServerRequest(head).build();
        var snapshot =
                InstallSnapshotRequestProto.newBuilder().setServerRequest(head).build();
        var election = StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(head)
                .build();
        requireRefused(() -> handler.vote(vote.toByteArray()));
        requireRefused(() -> handler.append(append.toByteArray()));
        requireRefused(() -> handler.snapshot(snapshot.toByteArray()));
        requireRefused(() -> handler.startElection(election.toByteArray()));
    }

    private static void requireRefused(Call call) {
        assertThatThrownBy(call::answer).isInstanceOf(IOException.class).hasMessageContaining("not found");
    }

    /// Ratis would open what it finds there beside its own log, with the same machine.
    @Test
    void folderWithAnotherLogDoesNotStart() throws Exception {
        servers.openAll();
        servers.propose(0, 8);
        servers.closeAll();
        var other = new TestServers(root.resolve("servers"), LogId.random(), network);
        assertThatThrownBy(() -> other.open("a"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ratis/" + log + " is of another log");
        servers.openAll();
        servers.propose(1, 8);
    }
}
