package dev.sluice.targetnode.storage;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.drive.Totals;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.DriveWatch;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// What an operator may do with the drives of a target. Blocks: for virtual threads.
public final class Mountpaths implements AutoCloseable {
    private final DrivePool opened;
    private final StayingKeys staying;
    private final DriveThreads looking = new DriveThreads("mountpaths-look", 1, 16);

    Mountpaths(DrivePool opened, StayingKeys staying) {
        this.opened = opened;
        this.staying = staying;
    }

    /// What the drives of the target weighed together when it was formed.
    public long formedWeight() {
        return opened.table().formedWeight();
    }

    /// The drive table as it is now.
    public DriveTable table() {
        return opened.table();
    }

    DriveTable change(UnaryOperator<DriveTable> step) {
        return opened.change(step);
    }

    /// Takes a drive out of use, also across restarts, until [#enable]. It is closed then and may be unmounted.
    ///
    /// @param which a path, or a drive's id
    /// @throws StoreException.InvalidArgument when there is no such drive
    public void disable(String which) {
        var watch = named(which);
        var id = watch.slot().id();
        opened.tables().change(table -> table.disabling(id, true).without(id));
        watch.disable();
    }

    /// Takes a disabled drive into use again, or tries one that is out at once; it serves when it is found sound.
    ///
    /// @throws StoreException.InvalidArgument when there is no such drive
    public void enable(String which) {
        var watch = named(which);
        opened.tables().change(table -> table.disabling(watch.slot().id(), false));
        watch.enable();
    }

    /// Makes a blank drive a drive of the target, which takes writes from now on; or takes a drive of the target that
    /// is away where it is now.
    ///
    /// @throws StoreException.InvalidArgument when what is there cannot be used
    public void attach(String path) {
        var place = Path.of(path).toAbsolutePath().normalize();
        try {
            var known = idAt(place).flatMap(this::watch);
            if (known.isPresent()) {
                bringBack(known.get(), place);
            } else {
                requireFree(place);
                opened.attach(place, (table, fresh) -> table.attaching(fresh.id(), fresh.member()));
            }
        } catch (DriveRefusedException refused) {
            throw new StoreException.InvalidArgument(String.valueOf(refused.getMessage()));
        }
    }

    private Optional<String> idAt(Path place) {
        return Await.whole(looking.start(() -> DriveSet.idAt(place)));
    }

    private void bringBack(DriveWatch watch, Path place) {
        var slot = watch.slot();
        if (slot.status().state() != DriveState.OFFLINE) {
            throw new StoreException.InvalidArgument("the drive at %s is attached: it is %s, which is %s"
                    .formatted(place, slot.id(), slot.status().state()));
        }
        boolean mount = Await.whole(looking.start(() -> DriveSet.isMount(place)));
        opened.tables().change(table -> table.moved(slot.id(), place.toString(), mount));
        watch.enable();
    }

    private void requireFree(Path place) {
        opened.table().members().forEach((id, member) -> {
            if (member.isPlaced() && Path.of(member.path()).equals(place)) {
                throw new StoreException.InvalidArgument(
                        "%s is where drive %s belongs: a blank drive there is taken by itself".formatted(place, id));
            }
        });
    }

    /// A drive that was detached.
    ///
    /// @param known what it had, as far as this process has seen it
    public record Detached(String id, Totals known) {}

    /// Lets a drive go: what it has moves to the others first, and it is closed when they have it. A lost one, which
    /// cannot be read, goes at once with all that only it had.
    ///
    /// @param which a path, or a drive's id
    /// @throws StoreException.InvalidArgument when there is no such drive, or it must not go
    public Detached detach(String which, boolean lost) {
        var slot = named(which).slot();
        requireMayGo(slot, lost);
        if (!lost) {
            slot.readable().stream()
                    .flatMap(drive -> staying.whyItStays(drive).stream())
                    .findFirst()
                    .ifPresent(why -> {
                        throw new StoreException.InvalidArgument(why);
                    });
        }
        var known = slot.totals();
        opened.tables().change(table -> {
            requireMayGo(slot, lost); // it may have come back, and taken writes, while other changes were recorded
            return lost ? forgetting(table, slot.id()) : detaching(table, slot.id());
        });
        return new Detached(slot.id(), known);
    }

    private static void requireMayGo(DriveSlot slot, boolean lost) {
        var state = slot.status().state();
        if (lost && (state.reads() || state == DriveState.STARTING)) {
            throw new StoreException.InvalidArgument(
                    "drive %s is not lost: it is %s; detach it without --lost".formatted(slot.id(), state));
        }
        if (!lost && !state.reads()) {
            throw new StoreException.InvalidArgument(
                    ("drive %s is %s, so nothing can be moved from it: bring it back first, or give up with --lost "
                                    + "what only it has")
                            .formatted(slot.id(), state));
        }
    }

    private static DriveTable forgetting(DriveTable table, String id) {
        requireAnother(table, id);
        return table.forgetting(id);
    }

    private static DriveTable detaching(DriveTable table, String id) {
        requireAnother(table, id);
        return table.detaching(id);
    }

    private static void requireAnother(DriveTable table, String id) {
        if (table.current().has(id) && table.current().size() == 1) {
            throw new StoreException.InvalidArgument(
                    "drive %s is the last that takes writes: attach another one first".formatted(id));
        }
    }

    private Optional<DriveWatch> watch(String id) {
        return opened.watches().stream()
                .filter(watch -> watch.slot().id().equals(id))
                .filter(_ -> opened.table().members().containsKey(id))
                .findFirst();
    }

    private DriveWatch named(String which) {
        var path = Path.of(which).normalize().toString();
        return watch(which)
                .or(() -> opened.table().members().entrySet().stream()
                        .filter(each -> each.getValue().path().equals(path))
                        .findFirst()
                        .flatMap(each -> watch(each.getKey())))
                .orElseThrow(() -> new StoreException.InvalidArgument("no drive of this target is at " + which));
    }

    @Override
    public void close() {
        looking.close();
    }
}
