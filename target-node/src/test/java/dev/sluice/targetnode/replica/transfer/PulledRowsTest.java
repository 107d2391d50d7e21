package dev.sluice.targetnode.replica.transfer;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.RecordedLoops;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PulledRowsTest {
    private static final int SLOT = 3;

    @TempDir
    private Path folder;

    private static PulledRows rows(ReplicaParts parts) {
        return new PulledRows(parts, new ContentTransfer(parts), _ -> {});
    }

    /// Else the learner waits for this row until its target starts again.
    @Test
    void learnerIsToldOfAPullThatFailedUnexpectedly() throws Exception {
        var peers = new PeerClient(new PeerTokens(new NodeId("target001"), new byte[32], InstantSource.system()));
        var staging = new Staging();
        try (peers;
                var target = new TargetFixture(folder.resolve("target"));
                var loops = new RecordedLoops(folder, 1, "d1");
                var rows = rows(new ReplicaParts(
                        new NodeId("target001"),
                        new HttpTargets(peers),
                        target.store(),
                        staging,
                        _ -> Optional.empty(),
                        () -> {
                            throw new IllegalStateException("a bug");
                        },
                        Runnable::run))) {
            var loop = Objects.requireNonNull(loops.byDrive().get("d1"));
            var replica = new CompletableFuture<LocalReplica>();
            loop.run(() -> replica.complete(loop.replica(1, SLOT)));
            rows.begin(replica.join(), new Action.Pull("d3", new Learning(4, 5, 1), new ObjectKey(7, "key"), 0));
            eventually(() -> loops.handed("d1").contains(SLOT));
        }
    }
}
