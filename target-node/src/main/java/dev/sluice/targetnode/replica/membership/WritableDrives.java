package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command.Answers;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which drives can write now. Who wants members to leave a coded slot names them, for those that stay have to make its
/// objects: that the controllers call a target up may be old.
public final class WritableDrives {
    private static final Logger LOG = LoggerFactory.getLogger(WritableDrives.class);

    /// Less than who asks waits: what others have written by then is not to be missed for one that hangs.
    private static final Duration LONGEST = Duration.ofMillis(250);

    /// What the controllers are told of the process that asks.
    public interface Asker {
        int incarnation();

        /// The newest beat that the leader answered; empty before.
        Optional<AnsweredBeat> answeredBeat();
    }

    /// @param controller that answered it, and led
    public record AnsweredBeat(NodeId controller, long number) {}

    private final NodeId self;
    private final Asker asker;
    private final Map<String, DriveReplicas> loops;
    private final Supplier<Collection<PeerAddress>> others;
    private final ReplicaPeers targets;
    private final Executor threads;

    /// @param others the other targets that are up
    /// @param threads for what blocks
    public WritableDrives(
            NodeId self,
            Asker asker,
            Map<String, DriveReplicas> loops,
            Supplier<Collection<PeerAddress>> others,
            ReplicaPeers targets,
            Executor threads) {
        this.self = self;
        this.asker = asker;
        this.loops = loops;
        this.others = others;
        this.targets = targets;
        this.threads = threads;
    }

    /// Who asks for something now, without any drives. A request is void a while after the beat that it names. Empty
    /// before the first one was answered.
    Optional<Answers> none() {
        return asker.answeredBeat()
                .map(beat -> new Answers(
                        self, asker.incarnation(), beat.number(), beat.controller(), Collections.emptySortedMap()));
    }

    /// Asks all drives at once. It ends within half a second, and does not fail.
    public CompletableFuture<Optional<Answers>> ask() {
        var who = none();
        if (who.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        var asked = new ArrayList<CompletableFuture<SortedMap<String, Integer>>>();
        for (var other : others.get()) {
            asked.add(CompletableFuture.supplyAsync(() -> of(other), threads));
        }
        asked.add(CompletableFuture.supplyAsync(this::here, threads));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            var drives = new TreeMap<String, Integer>();
            asked.forEach(each -> drives.putAll(each.join()));
            return who.map(me -> new Answers(me.target(), me.incarnation(), me.beat(), me.controller(), drives));
        });
    }

    private SortedMap<String, Integer> of(PeerAddress other) {
        try {
            return targets.writable(other);
        } catch (IOException | StoreException silent) {
            LOG.debug("no drive of {} answers: {}", other.id(), silent.getMessage());
            return Collections.emptySortedMap();
        }
    }

    /// The drives of this target to which something was just written durably, with their incarnations. Blocks.
    public SortedMap<String, Integer> here() {
        var writes = new HashMap<DriveReplicas, CompletableFuture<Boolean>>();
        loops.values()
                .forEach(loop -> writes.put(
                        loop,
                        loop.drive()
                                .startStep(() -> loop.drive().marks().markSound())
                                .thenApply(_ -> true)));
        long end = System.nanoTime() + LONGEST.toNanos();
        var written = new TreeMap<String, Integer>();
        writes.forEach((loop, write) -> {
            if (isDone(write, end) && !loop.isClosed()) {
                written.put(loop.id(), loop.incarnation());
            }
        });
        return written;
    }

    private static boolean isDone(CompletableFuture<Boolean> write, long end) {
        try {
            var left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
            return Await.within(left, write).isPresent();
        } catch (StoreException failed) {
            LOG.debug("a drive cannot write: {}", failed.getMessage());
            return false;
        }
    }
}
