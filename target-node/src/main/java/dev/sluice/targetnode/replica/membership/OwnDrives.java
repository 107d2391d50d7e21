package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.health.DriveSlot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The drives of this process, and what the log knows of them. It announces those that come, reports those that go, and
/// begins the loop of each drive that the log has.
///
/// **One life of a drive.** A drive is announced under a new nonce each time it is opened, and the log gives it an
/// incarnation. Its loop begins when the log shows this nonce. When the drive leaves, its loop ends for good, and only
/// then is that incarnation reported out. A drive that the log has under any other nonce is reported out, too: an
/// announcement of before may have come late.
///
/// **A loop that stands still** is ended for good first, and then its drive is reported out, though it is open. It is
/// announced again when all that this loop ordered is done or has failed.
public final class OwnDrives implements Membership.Drives {
    private static final Logger LOG = LoggerFactory.getLogger(OwnDrives.class);

    /// Starts the loop of a drive. Never blocks.
    public interface Beginning {
        DriveReplicas begin(Drive drive, int incarnation);
    }

    private record Announced(Drive drive, String nonce) {
        boolean isIn(Optional<DriveEntry> entry) {
            return entry.filter(known -> !known.out() && known.nonce().equals(nonce))
                    .isPresent();
        }
    }

    private final NodeId self;
    private final ObjectStore store;
    private final ControlPlane control;
    private final Map<String, DriveReplicas> loops;
    private final DriveArrivals arrivals;
    private final Beginning beginning;
    private final Proposer proposer;
    private final Executor threads;
    private final Map<String, Announced> announced = new HashMap<>();
    private final Set<String> arriving = new HashSet<>();

    /// Open drives that the log refuses, or whose loop has ended. What is opened later is another object.
    private final Set<Drive> refused = new HashSet<>();

    /// Loops that were ended because they stood still; their drives are refused meanwhile.
    private final Set<DriveReplicas> standing = new HashSet<>();

    private volatile long standstills;

    /// @param arrivals of its drives
    /// @param loops the drives that take part, by id: changed by this, and read by all threads
    public OwnDrives(
            NodeId self,
            DriveArrivals arrivals,
            ControlPlane control,
            Map<String, DriveReplicas> loops,
            Beginning beginning,
            Proposer proposer,
            Executor threads) {
        this.self = self;
        this.arrivals = arrivals;
        this.store = arrivals.store();
        this.control = control;
        this.loops = loops;
        this.beginning = beginning;
        this.proposer = proposer;
        this.threads = threads;
    }

    // ---- with the registration of the process

    @Override
    public boolean allKnown() {
        return store.ready();
    }

    @Override
    public boolean isAnyHere() {
        return store.drives().slots().stream().anyMatch(slot -> slot.writable().isPresent());
    }

    @Override
    public List<Command.RegisteredDrive> announceAll(String nonce) {
        synchronized (this) {
            announced.clear();
        }
        var named = new ArrayList<Command.RegisteredDrive>();
        for (var slot : store.drives().slots()) {
            slot.writable().ifPresent(drive -> {
                named.add(arrivals.prepared(slot, drive));
                announce(drive, nonce);
            });
        }
        return named;
    }

    @Override
    public Set<String> full() {
        return store.fullDrives();
    }

    @Override
    public void markAllSound() {
        List<Drive> drives;
        synchronized (this) {
            drives = announced.values().stream().map(Announced::drive).toList();
        }
        for (var drive : drives) {
            try {
                DriveArrivals.markSound(drive);
            } catch (StoreException failure) { // after the next start it copies more than it needs
                LOG.warn("drive {} is not marked as sound: {}", drive.id(), failure.getMessage());
            }
        }
    }

    private synchronized Announced announce(Drive drive, String nonce) {
        var said = new Announced(drive, nonce);
        announced.put(drive.id(), said);
        return said;
    }

    // ---- with each state

    /// Begins the drives that the log has by now.
    ///
    /// @return all that take part
    public synchronized Map<String, DriveReplicas> follow(Replication now) {
        announced.forEach((id, said) -> {
            var entry = now.drives().find(id);
            if (said.isIn(entry) && !loops.containsKey(id) && isUsed(said.drive())) {
                loops.put(id, beginning.begin(said.drive(), entry.orElseThrow().incarnation()));
                LOG.info("drive {} takes part in replication", id);
            }
        });
        return loops;
    }

    private boolean isUsed(Drive drive) {
        return drive.serves() && !refused.contains(drive);
    }

    /// The loop of a drive has ended. Changes that it ordered may still come to the open drive, so no other loop begins
    /// on it. What was read from the drive is out of date soon, and nothing tells this target of it.
    public void ended(DriveReplicas loop) {
        synchronized (this) {
            loops.remove(loop.id(), loop);
            if (!loop.stoodStill()) { // else it is refused until it is done
                refused.add(loop.drive());
            }
        }
        store.hotSet().invalidateDrive(loop.drive());
    }

    /// The loop of a drive stands still: ends it. Only then the drive may be reported.
    ///
    /// @return whether it was ended by this call
    public boolean standsStill(DriveReplicas loop) {
        synchronized (this) {
            if (!loop.equals(loops.get(loop.id()))) {
                return false;
            }
            loop.endStandingStill(); // while it still counts as one that has to apply each state
            loops.remove(loop.id(), loop);
            refused.add(loop.drive());
            standing.add(loop);
            standstills++;
        }
        LOG.warn(
                "drive {} stands still: other replicas serve its slots until it goes on. Look at its disk and at the load"
                        + " of this machine",
                loop.id());
        return true;
    }

    /// How often a loop stood still.
    public long standstills() {
        return standstills;
    }

    // ---- from time to time

    /// Ends the loops of drives that have left first.
    @Override
    public synchronized void report(int incarnation) {
        loops.values().stream().filter(loop -> !loop.drive().serves()).forEach(DriveReplicas::close);
        standing.removeIf(loop -> {
            boolean done = loop.isDone();
            if (done) {
                refused.remove(loop.drive());
                LOG.info("drive {} goes on", loop.id());
            }
            return done;
        });
        refused.removeIf(drive -> !drive.serves());
        var known = control.current().replication();
        if (known.incarnation(self) == incarnation) {
            reportOut(known);
            bringIn(known, incarnation);
        }
    }

    private void reportOut(Replication known) {
        var out = new TreeMap<String, Integer>();
        known.drives().entries().forEach((id, entry) -> {
            var said = announced.get(id);
            boolean here = said != null && said.isIn(Optional.of(entry)) && isUsed(said.drive());
            if (entry.target().equals(self) && !entry.out() && !here) {
                Optional.ofNullable(loops.get(id)).ifPresent(DriveReplicas::close);
                out.put(id, entry.incarnation());
            }
        });
        if (!out.isEmpty()) {
            proposer.add(new Command.DriveOut(self, out));
        }
    }

    private void bringIn(Replication known, int incarnation) {
        for (var slot : store.drives().slots()) {
            var entry = known.drives().find(slot.id());
            boolean isOut = entry.map(DriveEntry::out).orElse(true) && !loops.containsKey(slot.id());
            slot.writable()
                    .filter(drive -> isOut && isUsed(drive) && arriving.add(slot.id()))
                    .ifPresent(drive -> threads.execute(() -> arrive(
                            slot,
                            drive,
                            incarnation,
                            entry.map(DriveEntry::incarnation).orElse(0))));
        }
    }

    /// What does not succeed is tried again with the next report.
    private void arrive(DriveSlot slot, Drive drive, int incarnation, int ifIncarnation) {
        try {
            var itself = arrivals.prepared(slot, drive);
            var said = announce(drive, UUID.randomUUID().toString());
            var after = control.apply(new Command.DriveIn(self, incarnation, itself, ifIncarnation, said.nonce()));
            if (said.isIn(after.replication().drives().find(slot.id()))) {
                DriveArrivals.markSound(drive);
            }
        } catch (StoreException.Unavailable | StoreException.DriveFailed later) {
            LOG.debug("drive {} is announced later: {}", slot.id(), later.getMessage());
        } catch (StoreException.InvalidArgument refusal) {
            LOG.error("drive {} takes no part in replication: {}", slot.id(), refusal.getMessage());
            synchronized (this) {
                refused.add(drive);
            }
        } catch (RuntimeException failure) {
            LOG.warn("drive {} is not announced yet", slot.id(), failure);
        } finally {
            synchronized (this) {
                arriving.remove(slot.id());
            }
        }
    }
}
