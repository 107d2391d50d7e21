package dev.sluice.targetnode.controller.raft;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A follower whose drive does not take a new term: it must not speak in it, for after a restart it knows nothing of it
/// and might vote in it again.
@Timeout(60)
class TermOnDriveTest {
    @TempDir
    private Path root;

    private record Append(String to, byte[] request, RaftHandler handler) {}

    @Test
    void aTermThatCouldNotBeWrittenIsNotAnswered() throws Exception {
        try (var servers = new TestServers(root)) {
            servers.openAll();
            var leader = servers.awaitLeader();
            servers.propose(1, 8);
            var append = appendOf(servers, leader);
            TestServers.PEERS.forEach(servers.network::cut); // nobody else names a term meanwhile

            var ours = AppendEntriesRequestProto.parseFrom(append.request());
            var next = ours.toBuilder().setLeaderTerm(ours.getLeaderTerm() + 10).build();
            var blocked =
                    Files.createDirectory(servers.files(append.to()).current().resolve("raft-meta.tmp"));
            for (int call = 0; call < 2; call++) {
                assertThatThrownBy(() -> append.handler().append(next.toByteArray()))
                        .isInstanceOf(IOException.class);
            }
            var files = servers.files(append.to());
            assertThat(record(files).term()).isLessThan(next.getLeaderTerm());

            Files.delete(blocked);
            var reply = AppendEntriesReplyProto.parseFrom(answered(append, next.toByteArray()));
            assertThat(reply.getResult()).isEqualTo(AppendResult.SUCCESS);
            assertThat(record(files))
                    .isEqualTo(new VoteRecord(
                            next.getLeaderTerm(), "", true, record(files).segment()));
            assertThat(files.current().resolve("raft-meta"))
                    .as("after a restart it votes for nobody in this term")
                    .content()
                    .contains("term=" + next.getLeaderTerm(), "votedFor=unknown");
        }
    }

    /// It waits for a write that may be under way.
    private static byte[] answered(Append append, byte[] request) {
        var answer = new CompletableFuture<byte[]>();
        eventually(() -> {
            try {
                answer.complete(append.handler().append(request));
                return true;
            } catch (IOException notYet) {
                assertThat(notYet).hasMessageContaining("is not on the drive yet");
                return false;
            }
        });
        return answer.join();
    }

    private static VoteRecord record(RaftFolder files) throws IOException {
        return VoteRecord.decode(files.record(), Files.readAllBytes(files.record()));
    }

    private static Append appendOf(TestServers servers, String leader) throws InterruptedException {
        var appends = new LinkedBlockingQueue<Append>();
        servers.network.appendBy((from, to, request, handler) -> {
            if (from.equals(leader)) {
                appends.add(new Append(to, request, handler));
            }
            return handler.append(request);
        });
        return appends.take();
    }
}
