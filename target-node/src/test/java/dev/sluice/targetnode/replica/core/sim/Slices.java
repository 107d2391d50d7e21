package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What one target process does with slices, where members have no whole objects: those of a body come while the client
/// sends it; any slice is made from others; so is an object that is read.
final class Slices {
    /// No slice is wanted, but the object.
    static final int OBJECT = -2;

    private static final double AGAIN = 200;

    /// What is wanted, and who wants it.
    ///
    /// @param value of the write: until it is prepared its slices have no version
    record Wanted(int slot, String drive, ObjectKey key, ObjectVersion version, String value, int position) {}

    /// What comes of it. Not called while members have not answered and may yet have enough.
    interface Ending {
        /// There are slices enough, or the wanted one.
        ///
        /// @param versions that they are of
        void whole(Set<ObjectVersion> versions);

        /// Those who have answered have too few, whatever the others have.
        ///
        /// @return whether that is the end of it
        boolean tooFew(boolean allAnswered);
    }

    private static final class Gather {
        final int number;
        final double begun;
        final Wanted wanted;
        final Ending ending;
        final Set<String> asked = new TreeSet<>();
        final Set<Integer> got = new HashSet<>();
        final Set<String> coming = new HashSet<>();
        final Set<ObjectVersion> versions = new HashSet<>();

        Gather(int number, double begun, Wanted wanted, Ending ending) {
            this.number = number;
            this.begun = begun;
            this.wanted = wanted;
            this.ending = ending;
        }
    }

    /// A row of which all members together have too few slices.
    private record Lost(int slot, String drive, ObjectKey key) {}

    private final Target target;
    private final Sim sim;
    private final Map<String, Gather> gathers = new HashMap<>();
    private final Map<Lost, ObjectVersion> lost = new HashMap<>();
    private int number;

    Slices(Target target) {
        this.target = target;
        this.sim = target.sim;
    }

    // -- gather

    /// @param name of what it is for: of one name, one at a time
    void gather(String name, Wanted wanted, Ending ending) {
        var now = gathers.get(name);
        if (now != null && now.wanted.equals(wanted) && sim.now() - now.begun < AGAIN) {
            return;
        }
        var gather = new Gather(++number, sim.now(), wanted, ending);
        gathers.put(name, gather);
        var row = target.view.orElseThrow().row(wanted.slot());
        row.members().stream()
                .filter(member -> !member.drive().equals(wanted.drive()))
                .forEach(member -> gather.asked.add(member.drive()));
        held(Known.of(target.disks, wanted.drive()), wanted).ifPresent(slice -> got(gather, slice));
        if (!ends(name, gather)) {
            for (var drive : List.copyOf(gather.asked)) {
                sim.network()
                        .toTarget(
                                target.id,
                                where(drive),
                                node -> node.slices.asked(target.id, name, gather.number, drive, wanted));
            }
        }
    }

    boolean gathers(String name) {
        return gathers.containsKey(name);
    }

    void giveUp(String name) {
        gathers.remove(name);
    }

    /// The slice of this version on a drive: committed, prepared or staged, perhaps at a position that the drive had.
    private Optional<Slice> held(Disk disk, Wanted wanted) {
        var row = disk.store.row(wanted.key());
        boolean any = sim.breaks("x_ec_mix") && wanted.position() == OBJECT;
        if (row.isPresent() && (any || row.get().version().equals(wanted.version()))) {
            return row.map(Store.Row::slice).filter(slice -> slice.position() != Slice.NONE);
        }
        if (sim.breaks("x_ec_prepared")) {
            return Optional.empty();
        }
        return disk.store
                .intent(wanted.key())
                .filter(intent -> intent.version().equals(wanted.version()) && !intent.delete())
                .map(Store.Intent::position)
                .or(() -> Optional.ofNullable(disk.slices.get(wanted.value())))
                .map(position -> new Slice(wanted.version(), position));
    }

    private void asked(String from, String name, int of, String drive, Wanted wanted) {
        var disk = target.disks.get(drive);
        if (disk == null || !disk.alive || disk.hangs || disk.incarnation == 0) {
            return;
        }
        var here = held(disk, wanted);
        boolean coming = disk.slices.containsKey(wanted.value())
                || disk.store
                        .intent(wanted.key())
                        .filter(intent -> intent.version().equals(wanted.version()))
                        .isPresent();
        double delay = sim.random().nextInt(4) == 0 ? 20 : .1;
        target.after(
                delay,
                () -> sim.network()
                        .toTarget(target.id, from, node -> node.slices.answered(name, of, drive, here, coming)));
    }

    private void answered(String name, int of, String drive, Optional<Slice> slice, boolean coming) {
        var gather = gathers.get(name);
        if (gather == null || gather.number != of || !gather.asked.remove(drive)) {
            return;
        }
        slice.ifPresent(found -> got(gather, found));
        if (slice.isEmpty() && coming) {
            gather.coming.add(drive);
        }
        var _ = ends(name, gather);
    }

    private static void got(Gather gather, Slice slice) {
        gather.got.add(slice.position());
        gather.versions.add(slice.version());
    }

    private boolean ends(String name, Gather gather) {
        if (gather.got.size() >= sim.data() || gather.got.contains(gather.wanted.position())) {
            gathers.remove(name);
            gather.ending.whole(gather.versions);
            return true;
        }
        boolean tooFew = gather.got.size() + gather.coming.size() + gather.asked.size() < sim.data();
        if (tooFew && gather.ending.tooFew(gather.asked.isEmpty())) {
            gathers.remove(name);
            return true;
        }
        return false;
    }

    // -- bodies

    /// One stream in ten breaks.
    void send(int slot, String drive, String value, Set<Integer> whole) {
        for (var member : target.view.orElseThrow().row(slot).members()) {
            if (member.drive().equals(drive) || sim.random().nextDouble() < .9) {
                sim.network()
                        .toTarget(
                                target.id,
                                where(member.drive()),
                                node -> node.slices.came(target.id, value, member.drive(), member.position(), whole));
            }
        }
    }

    private void came(String from, String value, String drive, int position, Set<Integer> whole) {
        var disk = target.disks.get(drive);
        if (disk != null && disk.alive && !disk.full && !disk.hangs && disk.incarnation > 0) {
            disk.slices.put(value, position);
            sim.network().toTarget(target.id, from, _ -> whole.add(position));
        }
    }

    // -- prepared writes

    /// Its bytes are here before a core sees a prepared write: its slice came, or is made from others. When nobody can
    /// make it, the drive refuses the write.
    void take(int slot, Disk disk, Message.Prepare prepare, String value, Runnable handIn) {
        var slice = prepare.slice();
        boolean here = Integer.valueOf(slice.position()).equals(disk.slices.get(value))
                || disk.store
                        .row(prepare.key())
                        .filter(row -> row.slice().equals(slice))
                        .isPresent()
                || disk.store
                        .intent(prepare.key())
                        .filter(intent ->
                                intent.version().equals(slice.version()) && intent.position() == slice.position())
                        .isPresent();
        if (here) {
            handIn.run();
            return;
        }
        var name = "prepare %s %s".formatted(disk.id, prepare.key());
        gather(name, new Wanted(slot, disk.id, prepare.key(), slice.version(), value, slice.position()), new Ending() {
            @Override
            public void whole(Set<ObjectVersion> versions) {
                disk.slices.put(value, slice.position());
                handIn.run();
            }

            @Override
            public boolean tooFew(boolean allAnswered) {
                if (sim.breaks("x_ec_refuse")) {
                    return false;
                }
                disk.refusing.add(slice);
                handIn.run();
                return true;
            }
        });
    }

    // -- rows that a learner lacks

    interface Pulled {
        void with(Slice slice);
    }

    /// The record is the primary's. When all members together have too few slices of it, and the primary has it still
    /// when it is asked again, it comes without bytes.
    void pull(int slot, Disk disk, ObjectKey key, Store.Row row, int position, Pulled pulled) {
        var place = new Lost(slot, disk.id, key);
        if (row.version().equals(lost.get(place))) {
            lost.remove(place);
            pulled.with(new Slice(row.version(), Slice.NONE));
            return;
        }
        var name = "pull %s %s".formatted(disk.id, key);
        gather(name, new Wanted(slot, disk.id, key, row.version(), row.value(), position), new Ending() {
            @Override
            public void whole(Set<ObjectVersion> versions) {
                pulled.with(new Slice(row.version(), position));
            }

            @Override
            public boolean tooFew(boolean allAnswered) {
                if (allAnswered && !sim.breaks("x_ec_lost")) {
                    lost.put(place, row.version());
                    return true;
                }
                return false;
            }
        });
    }
}
