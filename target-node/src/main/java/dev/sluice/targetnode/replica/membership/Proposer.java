package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes the slots' proposals to the controllers, as many in one command as have gathered. A proposal may be lost: its
/// core makes it again.
public final class Proposer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Proposer.class);
    private static final long PAUSE_NANOS = 10_000_000;
    private static final long PATIENT_NANOS = 30 * PAUSE_NANOS;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 100_000_000;

    private final ControlPlane control;
    private final Set<Command.SlotCommand> urgent = new LinkedHashSet<>();
    private final Set<Command.SlotCommand> patient = new LinkedHashSet<>();
    private final Map<Cut, Command.CutOff> cuts = new LinkedHashMap<>();
    private final Set<Command.SlotDrive> coded = new LinkedHashSet<>();
    private final Supplier<CompletableFuture<Optional<Command.Answers>>> answers;
    private final Semaphore arrived = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    /// @param answers asks who could stay in coded slots; it ends soon, and does not fail
    public Proposer(ControlPlane control, Supplier<CompletableFuture<Optional<Command.Answers>>> answers) {
        this.control = control;
        this.answers = answers;
        this.thread = Thread.ofVirtual().name("proposer").start(this::proposeForEver);
    }

    /// What a request to leave is about. One of later says it anew, and the earlier one is void soon.
    private record Cut(NodeId target, String drive, int group, int slot) {
        static Cut of(Command.CutOff command) {
            var first = command.primaries().getFirst();
            return new Cut(command.other(), first.drive(), first.group(), first.slot());
        }
    }

    /// Never blocks.
    public void add(int group, int slot, Proposal proposal) {
        add(
                switch (proposal) {
                    case Proposal.Opened(var epoch) ->
                        new Command.Opened(List.of(new Command.SlotEpoch(group, slot, epoch)));
                    case Proposal.Promote(var epoch, var drive, var incarnation) ->
                        new Command.Promote(List.of(new Command.SlotDrive(group, slot, epoch, drive, incarnation)));
                    case Proposal.Expel(var epoch, var drive, var incarnation) ->
                        new Command.Expel(List.of(new Command.SlotDrive(group, slot, epoch, drive, incarnation)));
                    case Proposal.TakeOff(var epoch, var drive, var incarnation) ->
                        new Command.TakeOff(List.of(new Command.SlotDrive(group, slot, epoch, drive, incarnation)));
                });
    }

    public void add(Command.SlotCommand command) {
        adding(() -> {
            if (command instanceof Command.CutOff cut) {
                cuts.put(Cut.of(cut), cut);
            } else {
                (isPatient(command) ? patient : urgent).add(command);
            }
        });
    }

    /// In-sync members are to go. Never blocks.
    ///
    /// @param asking a member of each slot, which stays
    void expel(Group group, List<Command.SlotDrive> asking) {
        if (group.coded()) {
            adding(() -> coded.addAll(asking));
        } else {
            add(new Command.Expel(asking));
        }
    }

    private void adding(Runnable step) {
        boolean first;
        synchronized (urgent) {
            first = isIdle();
            step.run();
        }
        if (first) {
            arrived.release();
        }
    }

    /// Nobody waits for these: a slot is served before it is logged as opened, and without the learner.
    private static boolean isPatient(Command.SlotCommand command) {
        return command instanceof Command.Opened || command instanceof Command.Promote;
    }

    private <T> List<T> takeAll(Set<T> from) {
        synchronized (urgent) {
            var all = List.copyOf(from);
            from.clear();
            return all;
        }
    }

    private Optional<Command.CutOff> takeCut() {
        synchronized (urgent) {
            var first = cuts.keySet().stream().findFirst();
            return first.map(cuts::remove);
        }
    }

    private boolean isIdle() {
        synchronized (urgent) {
            return urgent.isEmpty() && patient.isEmpty() && cuts.isEmpty() && coded.isEmpty();
        }
    }

    private void proposeForEver() {
        while (!closed) {
            try {
                arrived.acquire();
                while (!closed && !isIdle()) {
                    proposeSoon();
                }
            } catch (InterruptedException _) {
                // it is being closed
            } catch (StoreException away) {
                LOG.debug("proposals are lost: {}", away.getMessage());
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
                arrived.release();
            }
        }
    }

    /// Others are about to say the same, and each entry costs the controllers a look at all slots. Requests that
    /// targets leave go one at a time: where a target is silent there are new ones all the time, and failovers wait
    /// for the others.
    private void proposeSoon() {
        long end = System.nanoTime() + PATIENT_NANOS;
        do {
            LockSupport.parkNanos(PAUSE_NANOS);
            propose(takeAll(urgent));
            takeCut().ifPresent(this::apply);
            expel(takeAll(coded));
        } while (System.nanoTime() - end < 0 && !closed);
        propose(takeAll(patient));
    }

    private void propose(List<Command.SlotCommand> some) {
        var opened = new LinkedHashSet<Command.SlotEpoch>();
        var promote = new LinkedHashSet<Command.SlotDrive>();
        var expel = new LinkedHashSet<Command.SlotDrive>();
        var takeOff = new LinkedHashSet<Command.SlotDrive>();
        var others = new LinkedHashSet<Command.SlotCommand>();
        for (var command : some) {
            switch (command) {
                case Command.Opened(var slots) -> opened.addAll(slots);
                case Command.Promote(var learners) -> promote.addAll(learners);
                case Command.Expel(var asking, var answers) when answers.isEmpty() -> expel.addAll(asking);
                case Command.TakeOff(var learners) -> takeOff.addAll(learners);
                default -> others.add(command);
            }
        }
        others.forEach(this::apply); // drives that are out
        apply(expel, Command.Expel::new);
        apply(takeOff, Command.TakeOff::new);
        apply(opened, Command.Opened::new);
        apply(promote, Command.Promote::new);
    }

    /// Asks all drives before, for each command.
    private void expel(List<Command.SlotDrive> asking) {
        for (int from = 0; from < asking.size(); from += Command.SlotCommand.MOST_SLOTS) {
            var some = asking.subList(from, Math.min(asking.size(), from + Command.SlotCommand.MOST_SLOTS));
            var sure = Await.whole(answers.get());
            if (sure.isPresent()) {
                apply(new Command.Expel(List.copyOf(some), sure));
            }
        }
    }

    private <T> void apply(Set<T> slots, Function<List<T>, Command> command) {
        var all = List.copyOf(slots);
        for (int from = 0; from < all.size(); from += Command.SlotCommand.MOST_SLOTS) {
            control.apply(
                    command.apply(all.subList(from, Math.min(all.size(), from + Command.SlotCommand.MOST_SLOTS))));
        }
    }

    /// What is refused is refused again: it is left out.
    private void apply(Command command) {
        try {
            control.apply(command);
        } catch (StoreException.Unavailable away) {
            throw away;
        } catch (RuntimeException refused) {
            LOG.error("the controllers refuse a proposal", refused);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
