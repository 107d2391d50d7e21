package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.replica.core.SlotContext;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The slots of one drive: their cores, and the one thread that hands them events. It reads the drive's index, so a
/// drive that hangs keeps its own slots waiting only, and they lose their lease.
public final class DriveReplicas implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DriveReplicas.class);
    private static final Duration TICK = Duration.ofMillis(100);

    /// After a commit, the others are told: those of many slots in one message. Until then their drives keep the write
    /// as prepared, and a drive takes some ten thousand of these only.
    private static final Duration TELL = TICK;

    private static final Duration FIRST_AGAIN = Duration.ofMillis(400);
    private static final Duration LATER_AGAIN = Duration.ofSeconds(1);

    /// What a learner that may not copy now repeats: nothing, unless a turn was missed.
    private static final Duration WAITING_AGAIN = Duration.ofSeconds(10);

    /// How many are handed in together.
    public static final int MESSAGES_AT_ONCE = 256;

    private static final int MOST_MESSAGES = 1 << 16;
    private static final int MOST_COPYING = 1 << 13;
    private static final long IDLE = Long.MIN_VALUE;

    /// A learner's question for a page.
    private record Question(int group, int slot, String learner) {}

    /// What carries out actions.
    public interface Shell {
        void run(LocalReplica replica, List<Action> actions);
    }

    private final Drive drive;
    private final int incarnation;
    private final Lease lease;
    private final SlotPages pages;
    private final IntSupplier counter;
    private final Shell shell;
    private final Consumer<DriveReplicas> ended;
    private final Lanes waiting = new Lanes();
    private final Map<Question, Event.Received> questions = new ConcurrentHashMap<>();
    private final EarlyMessages early = new EarlyMessages();
    private final CopyTurns turns = new CopyTurns();
    private final Map<Long, LocalReplica> replicas = new HashMap<>();
    private final Set<LocalReplica> active = new LinkedHashSet<>();
    private final Thread thread;
    private final Object syncing = new Object();
    private boolean syncRuns;
    private Optional<CompletableFuture<Void>> nextSync = Optional.empty();
    private final AtomicInteger changes = new AtomicInteger();
    private volatile long stepBegan = IDLE;
    private volatile boolean closed;
    private volatile boolean over;
    private volatile boolean stoodStill;

    /// @param ended told at the end, whether the drive failed or this was closed
    public DriveReplicas(
            Drive drive,
            int incarnation,
            Lease lease,
            SlotPages pages,
            IntSupplier counter,
            Shell shell,
            Consumer<DriveReplicas> ended) {
        this.drive = drive;
        this.incarnation = incarnation;
        this.lease = lease;
        this.pages = pages;
        this.counter = counter;
        this.shell = shell;
        this.ended = ended;
        this.thread = new DriveThread(this::runForEver, drive.id() + "-replicas");
    }

    public void start() {
        thread.start();
    }

    public Drive drive() {
        return drive;
    }

    public String id() {
        return drive.id();
    }

    public int incarnation() {
        return incarnation;
    }

    public Lease lease() {
        return lease;
    }

    public boolean leased() {
        return !closed && lease.held() && drive.serves();
    }

    /// Whether nothing that is posted from now on is done. The last step may not have ended.
    public boolean isClosed() {
        return closed;
    }

    /// Ends it for good, because it stands still. Its last step, and changes that it ordered, may go on later: until
    /// [#isDone] nothing else works on the drive.
    public void endStandingStill() {
        stoodStill = true;
        close();
    }

    public boolean stoodStill() {
        return stoodStill;
    }

    /// Whether its last step has ended.
    public boolean isOver() {
        return over;
    }

    /// The same, and all changes that it ordered.
    public boolean isDone() {
        return over && changes.get() == 0;
    }

    /// When the step began that it is at, of [System#nanoTime]; empty when it has nothing to do.
    public OptionalLong stepBegan() {
        long began = stepBegan;
        return began == IDLE ? OptionalLong.empty() : OptionalLong.of(began);
    }

    /// A change of the drive is ordered.
    public void changeBegan() {
        changes.incrementAndGet();
    }

    /// It is done, or has failed.
    public void changeEnded() {
        changes.decrementAndGet();
    }

    /// Hands an event to a slot. Never blocks.
    public void post(int group, int slot, Event event) {
        waiting.add(() -> handle(group, slot, event));
    }

    /// The same for what a learner copies, which does not come before rows, fences and writes.
    public void postCopied(int group, int slot, Event event) {
        waiting.addCopying(() -> handle(group, slot, event));
    }

    /// The same for a message, which may be lost when too much waits.
    public void postMessage(int group, int slot, Event.Received message) {
        if (message.message() instanceof Message.AskListing) {
            postQuestion(new Question(group, slot, message.from()), message);
        } else if (message.message().copies()) {
            waiting.addCopyingIfFewer(MOST_COPYING, () -> handle(group, slot, message));
        } else {
            postMessages(() -> receive(group, slot, message));
        }
    }

    /// A learner repeats its question each second. Of one that waits here the newest counts.
    private void postQuestion(Question from, Event.Received message) {
        boolean waits = questions.put(from, message) != null;
        if (!waits && !waiting.addCopyingIfFewer(MOST_COPYING, () -> answer(from))) {
            questions.remove(from);
        }
    }

    private void answer(Question from) {
        Optional.ofNullable(questions.remove(from)).ifPresent(message -> handle(from.group, from.slot, message));
    }

    /// The same for a step that hands in messages, none of which copies.
    public void postMessages(Runnable step) {
        waiting.addIfFewer(MOST_MESSAGES / MESSAGES_AT_ONCE, step);
    }

    /// Runs a step on the loop's thread, after all that was posted before.
    public void run(Runnable step) {
        waiting.add(step);
    }

    /// The same for a step of copying.
    public void runCopying(Runnable step) {
        waiting.addCopying(step);
    }

    /// A message without bytes. On the loop's thread.
    public void receive(int group, int slot, Event.Received message) {
        var replica = replica(group, slot);
        var mayWait = EarlyMessages.Early.of(message.message(), () -> handle(replica, message));
        if (mayWait.isEmpty() || !keepsIfEarly(replica, mayWait.get())) {
            handle(replica, message);
        }
    }

    /// On the loop's thread.
    ///
    /// @return false when it is not early: it is to be handed in now
    public boolean keepsIfEarly(LocalReplica replica, EarlyMessages.Early message) {
        return early.keep(replica, message, System.nanoTime());
    }

    /// See [EarlyMessages#replaces].
    public boolean replacesEarly(LocalReplica replica, long epoch, Slice slice) {
        return early.replaces(replica, epoch, slice);
    }

    /// Whether a learner may ask for a page of its listing. On the loop's thread.
    public boolean mayCopy(LocalReplica replica) {
        return turns.has(replica);
    }

    public long earlyMessages() {
        return early.kept();
    }

    public int waitingSteps() {
        return waiting.size();
    }

    public int waitingCopyingSteps() {
        return waiting.copyingSize();
    }

    public int copying() {
        return turns.underWay();
    }

    public int waitingToCopy() {
        return turns.waiting();
    }

    /// On the loop's thread.
    ///
    /// @return the actions, which are carried out already
    public List<Action> handle(int group, int slot, Event event) {
        return handle(replica(group, slot), event);
    }

    /// On the loop's thread.
    public List<Action> handle(LocalReplica replica, Event event) {
        stepBegan = System.nanoTime(); // of many events in one step, each is a step
        if (isCopied(event)) {
            replica.copied(stepBegan);
        }
        var actions = replica.core().on(event, new Context(replica));
        followCopying(replica);
        shell.run(replica, actions);
        if (event instanceof Event.RowApplied) {
            early.applied(replica);
        }
        if (replica.core().waits()) {
            long now = System.nanoTime();
            if (active.add(replica)) {
                replica.nextTick(now + (waitsToCopy(replica) ? WAITING_AGAIN : FIRST_AGAIN).toNanos());
            } else if (!waitsToCopy(replica)) {
                replica.nextTick(Math.min(replica.nextTick(), now + LATER_AGAIN.toNanos()));
            }
            if (actions.stream().anyMatch(DriveReplicas::isCommitted)) {
                replica.nextTick(Math.min(replica.nextTick(), now + TELL.toNanos()));
            }
        } else {
            active.remove(replica);
        }
        return actions;
    }

    private static boolean isCopied(Event event) {
        return event instanceof Event.Pulled
                || (event instanceof Event.Received(var _, var message) && message instanceof Message.Listing);
    }

    /// A temporary learner copies nothing.
    private void followCopying(LocalReplica replica) {
        var copying = replica.core().copying();
        replica.copying(copying);
        if (replica.isStandIn()) {
            turns.copiesNothing(replica);
        } else {
            copying.ifPresentOrElse(
                    now -> turns.copies(replica, now, replica.losses()), () -> turns.copiesNothing(replica));
        }
    }

    private boolean waitsToCopy(LocalReplica replica) {
        return replica.core().copying().isPresent() && !turns.has(replica);
    }

    /// A slot may copy now.
    private void beginToCopy(LocalReplica replica) {
        replica.nextTick(System.nanoTime() + FIRST_AGAIN.toNanos());
        handle(replica, new Event.Tick());
    }

    private static boolean isCommitted(Action action) {
        return action instanceof Action.Answer(var _, var outcome) && outcome == Action.Outcome.COMMITTED;
    }

    /// The slots of a group of which this drive has a core. On the loop's thread.
    public List<LocalReplica> replicas(int group) {
        return replicas.values().stream()
                .filter(replica -> replica.group() == group)
                .toList();
    }

    /// On the loop's thread.
    public LocalReplica replica(int group, int slot) {
        return replicas.computeIfAbsent(((long) group << 16) | slot, _ -> {
            var replica = new LocalReplica(this, group, slot, new SlotCore(drive.id(), incarnation));
            var open = pages.open(group, slot);
            if (!open.isEmpty()) {
                handle(replica, new Event.Recovered(open));
            }
            return replica;
        });
    }

    private void runForEver() {
        long ticked = System.nanoTime();
        try {
            while (!closed) {
                var step = waiting.poll(TICK.toNanos());
                if (!drive.enter()) {
                    break;
                }
                try {
                    stepBegan = System.nanoTime();
                    step.ifPresent(Runnable::run);
                    if (System.nanoTime() - ticked > TICK.toNanos()) {
                        tick();
                        ticked = System.nanoTime();
                    }
                    turns.give(System.nanoTime(), this::beginToCopy);
                } finally {
                    stepBegan = IDLE;
                    drive.leave();
                }
            }
        } catch (InterruptedException _) {
            LOG.debug("the replicas of drive {} end", drive.id());
        } catch (UncheckedIOException failure) {
            drive.suspicion().add("replicas", Objects.requireNonNull(failure.getCause()));
        } catch (RuntimeException bug) {
            LOG.error("the replicas of drive {} stop: a bug", drive.id(), bug);
        } finally {
            closed = true;
            lease.end();
            over = true;
            ended.accept(this);
        }
    }

    private void tick() {
        long now = System.nanoTime();
        early.tick(now);
        turns.tick(now);
        for (var replica : List.copyOf(active)) {
            if (replica.nextTick() - now <= 0) {
                replica.nextTick(now + (waitsToCopy(replica) ? WAITING_AGAIN : LATER_AGAIN).toNanos());
                handle(replica, new Event.Tick());
            }
        }
    }

    private final class Context implements SlotContext {
        private final LocalReplica replica;

        Context(LocalReplica replica) {
            this.replica = replica;
        }

        @Override
        public Optional<Slice> row(ObjectKey key) {
            try {
                return drive.store().entry(key.bucketId(), key.key()).map(ObjectEntry::held);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public Page page(KeyRange range) {
            try {
                return pages.page(replica.group(), replica.slot(), range);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public Comparator<ObjectKey> order() {
            return SlotPages.ORDER;
        }

        @Override
        public int nextCounter() {
            return counter.getAsInt();
        }

        @Override
        public boolean leased() {
            return DriveReplicas.this.leased();
        }
    }

    /// Makes all that was changed so far durable. Those who ask while it is done share the next one. On any thread.
    public CompletableFuture<Void> sync() {
        boolean first;
        CompletableFuture<Void> mine;
        synchronized (syncing) {
            mine = nextSync.orElseGet(CompletableFuture::new);
            nextSync = Optional.of(mine);
            first = !syncRuns;
            syncRuns = true;
        }
        if (first) {
            var _ = drive.startStep(this::syncAll).whenComplete((_, failure) -> {
                if (failure != null) {
                    endSyncs(failure);
                }
            });
        }
        return mine;
    }

    private void endSyncs(Throwable failure) {
        synchronized (syncing) {
            nextSync.ifPresent(next -> next.completeExceptionally(failure));
            nextSync = Optional.empty();
            syncRuns = false;
        }
    }

    private void syncAll() throws IOException {
        for (var next = nextSync(); next.isPresent(); next = nextSync()) {
            try {
                drive.store().sync();
                next.get().complete(null);
            } catch (IOException | RuntimeException failure) {
                next.get().completeExceptionally(failure);
                throw failure;
            }
        }
    }

    private Optional<CompletableFuture<Void>> nextSync() {
        synchronized (syncing) {
            var next = nextSync;
            nextSync = Optional.empty();
            syncRuns = next.isPresent();
            return next;
        }
    }

    /// Never blocks: what waits is forgotten.
    @Override
    public void close() {
        closed = true;
        lease.end();
        thread.interrupt();
    }
}
