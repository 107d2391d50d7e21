package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
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
    private final Semaphore arrived = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    public Proposer(ControlPlane control) {
        this.control = control;
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
        boolean first;
        synchronized (urgent) {
            first = isIdle();
            if (command instanceof Command.CutOff cut) {
                cuts.put(Cut.of(cut), cut);
            } else {
                (isPatient(command) ? patient : urgent).add(command);
            }
        }
        if (first) {
            arrived.release();
        }
    }

    /// Nobody waits for these: a slot is served before it is logged as opened, and without the learner.
    private static boolean isPatient(Command.SlotCommand command) {
        return command instanceof Command.Opened || command instanceof Command.Promote;
    }

    private List<Command.SlotCommand> takeAll(Set<Command.SlotCommand> from) {
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
            return urgent.isEmpty() && patient.isEmpty() && cuts.isEmpty();
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
