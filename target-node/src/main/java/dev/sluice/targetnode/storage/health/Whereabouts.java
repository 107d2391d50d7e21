package dev.sluice.targetnode.storage.health;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.spread.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Where a key's copies belong, and where else there may be older ones. The drives are as they were when this was made:
/// whoever was not asked then has not answered, even if it serves by now. So it is for one piece of work.
public final class Whereabouts {
    private final Spread spread;
    private final List<DriveSnapshot> holders;
    private final List<DriveSnapshot> elsewhere;
    private final List<List<String>> firsts;
    private final List<Spread> spreads;
    private final Optional<Ahead> ahead;

    /// @param spread the current one
    /// @param holders the drives the key belongs on; members, but not always there
    /// @param elsewhere other drives of the target that it may be on, by an earlier spread
    /// @param spreads the current and the earlier ones; none when all holders have the same, and
    /// nothing is elsewhere
    /// @param firsts for each of them, the drives of it that surely were given each of the key's versions
    /// @param ahead a newer one that only some were given
    Whereabouts(
            Spread spread,
            List<DriveSnapshot> holders,
            List<DriveSnapshot> elsewhere,
            List<Spread> spreads,
            List<List<String>> firsts,
            Optional<Ahead> ahead) {
        this.spread = spread;
        this.holders = holders;
        this.elsewhere = elsewhere;
        this.spreads = spreads;
        this.firsts = firsts;
        this.ahead = ahead;
    }

    public Spread spread() {
        return spread;
    }

    /// Holders first.
    private List<DriveSnapshot> all() {
        if (elsewhere.isEmpty()) {
            return holders;
        }
        var all = new ArrayList<>(holders);
        all.addAll(elsewhere);
        return all;
    }

    /// Whether all holders have the same, and nothing is elsewhere.
    public boolean isEven() {
        return spreads.isEmpty();
    }

    /// Whether there is one drive to ask and to change.
    public boolean isSingle() {
        return isEven() && holders.size() == 1;
    }

    /// The holders, open for a change. A drive that takes none is waited for, until it has left the current spread.
    ///
    /// @throws StoreException.Unavailable when a drive of the current spread takes none
    public List<Drive> toWrite() {
        for (var drive : elsewhere) {
            if (spread.has(drive.id())) {
                var _ = drive.toWrite();
            }
        }
        return holders.stream().map(DriveSnapshot::toWrite).toList();
    }

    /// The holders that can be read, the least busy first.
    ///
    /// @throws StoreException.Unavailable when there is none
    public List<Drive> toRead() {
        var readable = holders.stream()
                .flatMap(drive -> drive.readable().stream())
                .sorted(Comparator.comparingInt(Drive::waiting))
                .toList();
        if (readable.isEmpty()) {
            throw unavailable();
        }
        return readable;
    }

    /// All drives that may have it and can be read.
    public List<Drive> readable() {
        return all().stream().flatMap(drive -> drive.readable().stream()).toList();
    }

    /// All that may have it and can be changed.
    public List<Drive> writable() {
        return all().stream().flatMap(drive -> drive.writable().stream()).toList();
    }

    /// Whether a drive that may have it cannot be changed now.
    public boolean hasUnwritable() {
        return all().stream().anyMatch(drive -> drive.writable().isEmpty());
    }

    public StoreException.Unavailable unavailable() {
        return holders.getFirst().unavailable();
    }

    /// Why what the readable drives say of the key may not be the newest: a change that only other drives have.
    ///
    /// @param newest of what they say
    public Optional<String> missed(Optional<ObjectVersion> newest) {
        return ahead.filter(change -> change.isMissedBy(Drives.ids(readable()), newest))
                .map(change -> Drives.onlyOn(change.drives()));
    }

    /// The same because no drive of a spread that saw it can be asked.
    ///
    /// @param seen a drive that has the newest that was found; it took part in all changes of its
    /// own spreads
    public Optional<String> doubt(Optional<String> seen) {
        var readable = Drives.ids(readable());
        for (int i = 0; i < spreads.size(); i++) {
            boolean tookPart = seen.isPresent() && spreads.get(i).has(seen.get());
            if (!tookPart && firsts.get(i).stream().noneMatch(readable::contains)) {
                return Optional.of(Drives.onlyOn(firsts.get(i)));
            }
        }
        return Optional.empty();
    }
}
