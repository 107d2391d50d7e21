package dev.sluice.targetnode.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.LogEntry;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.judge.FakeClock;
import dev.sluice.targetnode.controller.judge.LeaderMemory;
import dev.sluice.targetnode.controller.judge.Leases;
import dev.sluice.targetnode.controller.log.Consensus;
import dev.sluice.targetnode.controller.log.LogServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CommandQueueTest {
    private static final NodeId SELF = new NodeId("target001");

    /// A log in memory, which can hold an entry back, lose it, or take another one first.
    private static final class HeldLog implements Consensus {
        private final List<LogEntry> entries = new ArrayList<>();
        private final CountDownLatch first = new CountDownLatch(1);
        private CountDownLatch held = new CountDownLatch(0);
        private Optional<StoreException> failure = Optional.empty();
        private Optional<Command> before = Optional.empty();
        private volatile ClusterState state = ClusterState.create("c", new TreeSet<>(List.of(SELF)), new TreeMap<>());

        @Override
        public Optional<ClusterState> snapshot() {
            return Optional.of(state);
        }

        @Override
        public void follow(Follower follower) {}

        @Override
        public LogServer seat() {
            return new LogServer(
                    Optional.empty(), Optional.empty(), LogServer.Holding.SOME, Optional.of(SELF), 0, true);
        }

        @Override
        public void requireUsable() {
            failure.ifPresent(why -> {
                throw why;
            });
        }

        @Override
        public boolean propose(LogEntry entry) {
            first.countDown();
            try {
                held.await();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            requireUsable();
            before.ifPresent(command -> state = Planner.next(state, command));
            before = Optional.empty();
            var next = entry.appliedTo(Optional.of(state));
            next.ifPresent(now -> {
                entries.add(entry);
                state = now;
            });
            return next.isPresent();
        }

        @Override
        public boolean isKeptOn(String drive) {
            return false;
        }
    }

    private final HeldLog log = new HeldLog();
    private final CommandQueue queue = new CommandQueue(
            log,
            new LeaderMemory(new FakeClock(), new Leases(new FakeClock(), SELF), Group::slotsFor),
            () -> log.snapshot().orElseThrow());

    private static Command create(String bucket) {
        return new Command.CreateBucket(bucket, 1, BucketProperties.defaults(Optional.empty()));
    }

    private ClusterState apply(String bucket) {
        return queue.apply(create(bucket));
    }

    @Test
    void commandsThatWaitForAnEntryAreTheNextOneTogether() throws Exception {
        log.held = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<ClusterState>>();
            all.add(threads.submit(() -> apply("first")));
            log.first.await();
            for (int i = 0; i < 20; i++) {
                var name = "b" + i;
                all.add(threads.submit((Callable<ClusterState>) () -> apply(name)));
            }
            var twice = threads.submit(() -> apply("first"));
            while (queue.waiting() < 21) {
                Thread.onSpinWait();
            }
            log.held.countDown();
            for (var one : all) {
                one.get();
            }
            assertThatThrownBy(twice::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(StoreException.BucketExists.class);
        }
        assertThat(log.state.buckets().buckets()).hasSize(21);
        assertThat(log.state.version()).as("each is a change of its own").isEqualTo(21);
        assertThat(log.entries).hasSize(2);
        assertThat(log.entries.getLast().changes()).hasSize(20);
    }

    @Test
    void commandIsPlannedAgainWhenAnotherEntryCameFirst() {
        log.before = Optional.of(create("other"));
        assertThat(apply("mine").buckets().buckets()).containsOnlyKeys("mine", "other");
        log.before = Optional.of(create("again"));
        assertThatThrownBy(() -> apply("again")).isInstanceOf(StoreException.BucketExists.class);
    }

    /// What is refused by an old state may have been made possible meanwhile.
    @Test
    void nothingIsRefusedNorCalledDoneByAStateThatMayBeOld() {
        apply("there");
        log.failure = Optional.of(new StoreException.Unavailable("another leads"));
        assertThatThrownBy(() -> apply("there")).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> queue.apply(new Command.KeepBucket("none", 7)))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> apply("new")).isInstanceOf(StoreException.Unavailable.class);
        log.failure = Optional.empty();
        assertThatThrownBy(() -> apply("there")).isInstanceOf(StoreException.BucketExists.class);
        assertThat(apply("new").buckets().buckets()).containsOnlyKeys("new", "there");
    }
}
