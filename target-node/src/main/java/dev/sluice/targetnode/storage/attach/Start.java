package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a target takes its drives at its start.
///
/// 1. Look at the configured paths, and at those that the newest drive table found there names. Nothing is written.
/// 2. Lock the members that are there. One that cannot be taken is missing; one that another process has stops the
///    start, for two processes must never have drives of one target.
/// 3. Refuse to go on when a missing drive may know of a newer table than those that are there.
/// 4. Take note of drives that moved, and of new ones; write the table to every drive that is held; only then do new
///    drives become formed.
///
/// Where no drive is formed, all are made the drives of a new target: named, then told the table, then formed. A crash
/// in between leaves none formed, and they are named anew, or all with the same table.
final class Start {
    private static final Logger LOG = LoggerFactory.getLogger(Start.class);

    private final DriveSet set;
    private final List<Path> configured;
    private final Set<String> lost;
    private final Map<Path, Sight> sights = new LinkedHashMap<>();
    private final Map<String, Sight> byId = new HashMap<>();
    private final Map<String, TableFile.Copy> tables = new HashMap<>();
    private final Map<String, String> missing = new TreeMap<>();
    private final List<String> damaged = new ArrayList<>();

    Start(DriveSet set, List<Path> configured, Set<String> lost) {
        this.set = set;
        this.configured = configured.stream()
                .map(path -> path.toAbsolutePath().normalize())
                .toList();
        this.lost = lost;
    }

    DriveSet.Started run() throws IOException {
        for (var path : configured) {
            see(path);
            var found = sights.get(path);
            if (found != null && found.identity().isPresent()) {
                set.requireOurs(path, found.identity().get());
            }
        }
        var newest = newest();
        while (newest.isPresent() && seeMore(newest.get().table())) {
            newest = newest();
        }
        return newest.isPresent() ? join(newest.get()) : formAll();
    }

    // ---- looking

    private void see(Path path) {
        new IdentityFile(path).requireThisFormat();
        var sight = Sight.of(path);
        sights.put(path, sight);
        sight.identity().ifPresent(identity -> {
            var twice = byId.putIfAbsent(identity.id(), sight);
            if (twice != null) {
                throw new DriveRefusedException("the set of drives of %s has changed: %s and %s are %s"
                        .formatted(set.node(), path, twice.path(), "the same drive or copies of one"));
            }
        });
    }

    /// Drives that were attached while the target ran need not be configured.
    private boolean seeMore(DriveTable table) {
        int before = sights.size();
        table.members().forEach((id, member) -> {
            if (member.isPlaced() && !byId.containsKey(id) && !sights.containsKey(Path.of(member.path()))) {
                see(Path.of(member.path()));
            }
        });
        return sights.size() > before;
    }

    /// Reads each drive's table, if any drive is formed.
    private Optional<TableFile.Copy> newest() {
        damaged.clear();
        tables.clear();
        if (byId.values().stream().noneMatch(Start::isFormed)) {
            return Optional.empty();
        }
        byId.forEach((id, sight) -> tableOf(id, sight).ifPresent(table -> tables.put(id, table)));
        return tables.values().stream()
                .max(Comparator.comparingLong(copy -> copy.table().version()));
    }

    private static boolean isFormed(Sight sight) {
        return sight.identity().filter(DriveIdentity::formed).isPresent();
    }

    /// One that does not name its drive is not that drive's.
    private Optional<TableFile.Copy> tableOf(String id, Sight sight) {
        var file = sight.path() + "/.sluice/drives.json";
        try {
            var table = new TableFile(sight.path()).read();
            if (table.isPresent() && table.get().table().members().containsKey(id)) {
                return table;
            }
            if (table.isPresent()) {
                damaged.add(file + " is not of this drive, which is " + id);
            } else if (isFormed(sight)) {
                damaged.add(file + " is not there");
            }
        } catch (IOException failure) {
            damaged.add(
                    failure instanceof ChecksummedJson.DamagedException
                            ? String.valueOf(failure.getMessage())
                            : file + " cannot be read: " + failure);
        }
        return Optional.empty();
    }

    // ---- a target that has drives

    private DriveSet.Started join(TableFile.Copy newest) throws IOException {
        var found = newest.table();
        damaged.forEach(line -> LOG.error("{}: another drive's copy counts", line));
        takeMembers(found);
        var kept = givenUp(found);
        var inOrder = inOrder(found);
        boolean settled = isSettled(found);
        var asked = stillAsked(newest.asked(), kept);
        requireNewest(kept, found, asked, inOrder);
        if (!begin(found)) {
            requireNewest(kept, found, asked, inOrder);
        }
        var next = moved(kept);
        var fresh = new ArrayList<DriveSet.NewDrive>();
        for (var path : configured) {
            next = withNew(next, path, fresh);
        }
        boolean counts = found.surelyCounts(asked, having(found), inOrder);
        if (!next.equals(found) || !counts || !having(found).containsAll(heldIds(found))) {
            next = next.numbered(DriveTables.versionAfter(found.version(), InstantSource.system()));
        }
        if (!next.equals(found)) {
            write(found, next, counts ? Set.of() : asked, fresh);
        }
        form(next);
        for (var id : next.members().keySet()) {
            if (!set.holds(id) && !missing.containsKey(id) && !isDisabled(next, id)) {
                missing.put(id, whyMissing(next, id));
            }
        }
        missing.keySet().retainAll(next.members().keySet());
        missing.forEach((id, why) -> LOG.error("drive {} of {} is missing: {}", id, set.node(), why));
        return new DriveSet.Started(set, next, missing, settled);
    }

    private void requireNewest(DriveTable kept, DriveTable found, Set<Set<String>> asked, Set<String> inOrder) {
        var ended = new HashSet<>(inOrder);
        ended.removeAll(missing.keySet());
        if (kept.mayBeOld(asked, having(found), known(), ended)) {
            throw mayBeOld(kept);
        }
    }

    /// From now on a kill is a kill.
    ///
    /// @return false when a drive cannot be written, and is missing for it
    private boolean begin(DriveTable found) throws IOException {
        boolean all = true;
        for (var id : heldIds(found)) {
            try {
                new CleanStopMark(pathOf(id)).delete();
            } catch (IOException failure) {
                all = false;
                missing.put(id, pathOf(id) + "/.sluice/closed.json cannot be deleted: " + failure);
                set.release(id);
            }
        }
        return all;
    }

    private static boolean isDisabled(DriveTable table, String id) {
        var member = table.members().get(id);
        return member != null && member.disabled();
    }

    /// Those that are disabled are not touched.
    private void takeMembers(DriveTable table) throws IOException {
        for (var id : table.members().keySet()) {
            var sight = byId.get(id);
            if (sight == null || isDisabled(table, id)) {
                continue;
            }
            try {
                set.requireOurs(sight.path(), sight.identity().orElseThrow());
                set.take(id, sight.path());
            } catch (DriveInUseException inUse) {
                throw inUse;
            } catch (DriveRefusedException | IOException failure) {
                set.release(id);
                missing.put(id, String.valueOf(failure.getMessage()));
            }
        }
    }

    private DriveTable givenUp(DriveTable table) {
        var left = table;
        for (var id : lost) {
            if (!left.members().containsKey(id)) {
                LOG.info("drives.lost names {}, which is no drive of {}", id, set.node());
            } else if (set.holds(id)) {
                LOG.warn("drives.lost names {}, which is not lost: it is at {}", id, pathOf(id));
            } else {
                try {
                    left = left.forgetting(id);
                } catch (IllegalArgumentException last) {
                    throw new DriveRefusedException(
                            "drive %s cannot be given up for lost: %s".formatted(id, last.getMessage()));
                }
                LOG.warn("drive {} is given up for lost, with all that only it had", id);
            }
        }
        return left;
    }

    /// The drives whose table was read, and that can be reached.
    private Set<String> known() {
        var known = new HashSet<>(tables.keySet());
        known.removeAll(missing.keySet());
        return known;
    }

    private Set<String> having(DriveTable table) {
        return tables.keySet().stream()
                .filter(id -> !missing.containsKey(id))
                .filter(id -> Optional.ofNullable(tables.get(id))
                        .filter(copy -> copy.table().equals(table))
                        .isPresent())
                .collect(Collectors.toSet());
    }

    private Set<String> inOrder(DriveTable table) {
        return tables.keySet().stream()
                .filter(set::holds)
                .filter(id -> new CleanStopMark(pathOf(id)).read(id).orElse(-1) == table.version())
                .collect(Collectors.toSet());
    }

    private boolean isSettled(DriveTable table) {
        return heldIds(table).stream().noneMatch(id -> new CloudWritesMark(pathOf(id)).isThere());
    }

    private DriveRefusedException mayBeOld(DriveTable table) {
        var known = known();
        var away = table.members().keySet().stream()
                .filter(id -> table.current().has(id) && !known.contains(id))
                .toList();
        var why = new ArrayList<String>();
        for (var id : away) {
            why.add(missing.getOrDefault(id, whyMissing(table, id)));
        }
        why.addAll(damaged);
        sights.values().stream()
                .map(Sight::problem)
                .filter(problem -> !problem.isEmpty() && !why.contains(problem))
                .forEach(why::add);
        return new DriveRefusedException(
                ("drives of %s are missing that may know of later changes: %s (%s); bring them back, or give them up "
                                + "with [drives] lost = [\"%s\"] in the node's file")
                        .formatted(
                                set.node(),
                                String.join(", ", away),
                                String.join("; ", why),
                                String.join("\", \"", away)));
    }

    private String whyMissing(DriveTable table, String id) {
        var member = table.members().get(id);
        if (member == null || !member.isPlaced()) {
            return "another drive took the place of " + id;
        }
        var path = Path.of(member.path());
        var sight = sights.get(path);
        return sight == null || sight.is(id) ? "drive " + id + " at " + path + " is not there" : sight.whyNot(id);
    }

    private Path pathOf(String id) {
        var sight = byId.get(id);
        if (sight == null) {
            throw new IllegalStateException("nobody has seen " + id);
        }
        return sight.path();
    }

    private List<String> heldIds(DriveTable table) {
        return table.members().keySet().stream().filter(set::holds).toList();
    }

    // ---- what changed since

    /// A drive is known by its id, wherever it is mounted now.
    private DriveTable moved(DriveTable table) {
        var next = table;
        for (var id : table.members().keySet()) {
            var sight = byId.get(id);
            if (sight != null && !missing.containsKey(id)) {
                next = next.moved(id, sight.path().toString(), sight.mount());
            }
        }
        return next;
    }

    private DriveTable withNew(DriveTable table, Path path, List<DriveSet.NewDrive> fresh) throws IOException {
        var sight = sights.get(path);
        if (sight == null
                || sight.identity()
                        .map(DriveIdentity::id)
                        .filter(id -> table.members().containsKey(id))
                        .isPresent()) {
            return table;
        }
        var owner = table.members().entrySet().stream()
                .filter(each -> each.getValue().path().equals(path.toString()))
                .findFirst();
        if (owner.isPresent()) {
            var member = owner.get().getValue();
            boolean replaced = sight.replaces(member) || (isUnnamed(sight) && (sight.mount() || !member.mount()));
            return replaced && !member.disabled() ? replaced(table, owner.get().getKey(), path, fresh) : table;
        }
        if (table.detached().contains(path.toString())) {
            LOG.info("{} is configured, but its drive was detached: sluice mountpath attach brings it back", path);
            return table;
        }
        return switch (sight.kind()) {
            case BROKEN -> throw new DriveRefusedException(sight.problem());
            case ABSENT, BLANK -> attached(table, path, fresh);
            case DRIVE -> {
                if (isUnnamed(sight)) {
                    yield attached(table, path, fresh);
                }
                LOG.warn(
                        "{} is not used: its drive is {}, which was detached",
                        path,
                        sight.identity().orElseThrow().id());
                yield table;
            }
        };
    }

    /// Whether a crash came between a drive's getting its name and the table's.
    private static boolean isUnnamed(Sight sight) throws IOException {
        return sight.identity().filter(identity -> !identity.formed()).isPresent() && Sight.isEmpty(sight.path());
    }

    private DriveTable attached(DriveTable table, Path path, List<DriveSet.NewDrive> fresh) throws IOException {
        var drive = set.takeNew(path);
        fresh.add(drive);
        LOG.warn("{} is a new drive of {}: {}", path, set.node(), drive.id());
        return table.attaching(drive.id(), drive.member());
    }

    private DriveTable replaced(DriveTable table, String owner, Path path, List<DriveSet.NewDrive> fresh) {
        DriveSet.NewDrive drive;
        try {
            drive = set.takeNew(path);
        } catch (DriveInUseException inUse) {
            throw inUse;
        } catch (DriveRefusedException | IOException unusable) {
            missing.put(owner, String.valueOf(unusable.getMessage()));
            return table;
        }
        fresh.add(drive);
        LOG.error("a blank drive is at {}, where {} was: it is the new drive {}", path, owner, drive.id());
        return table.displaced(owner).attaching(drive.id(), drive.member());
    }

    /// A drive that cannot be written now is missing.
    ///
    /// @param askedBefore of which half must take it too
    private void write(DriveTable found, DriveTable next, Set<Set<String>> askedBefore, List<DriveSet.NewDrive> fresh)
            throws IOException {
        fresh.forEach(drive -> byId.put(drive.id(), Sight.of(drive.path())));
        var asked = new HashSet<>(askedBefore);
        asked.add(found.asked(next));
        var having = new HashSet<String>();
        for (var id : writable(next)) {
            try {
                new TableFile(pathOf(id)).write(next, asked);
                having.add(id);
            } catch (IOException failure) {
                missing.put(id, pathOf(id) + "/.sluice/drives.json cannot be written: " + failure);
                set.release(id);
            }
        }
        if (!found.isSucceededBy(next, askedBefore, having)) {
            throw new DriveRefusedException("too few drives of %s can be written: %s"
                    .formatted(set.node(), String.join("; ", missing.values())));
        }
    }

    /// Disabled drives are not taken, but they may be there.
    private List<String> writable(DriveTable table) {
        return table.members().keySet().stream()
                .filter(id -> set.holds(id) || (isDisabled(table, id) && byId.containsKey(id)))
                .toList();
    }

    private void form(DriveTable table) throws IOException {
        for (var id : heldIds(table)) {
            set.form(pathOf(id));
        }
    }

    private static Set<Set<String>> stillAsked(Set<Set<String>> asked, DriveTable table) {
        return asked.stream()
                .map(drives -> drives.stream()
                        .filter(id -> table.members().containsKey(id))
                        .collect(Collectors.toSet()))
                .collect(Collectors.toSet());
    }

    // ---- a new target

    private DriveSet.Started formAll() throws IOException {
        requireFormable();
        var members = new HashMap<String, Member>();
        var drives = new ArrayList<DriveSet.NewDrive>();
        for (var path : configured) {
            var drive = set.takeNew(path);
            drives.add(drive);
            members.put(drive.id(), drive.member());
        }
        var table = DriveTable.of(members);
        for (var drive : drives) {
            set.record(drive.id(), drive.path(), table, members.keySet());
        }
        for (var drive : drives) {
            set.form(drive.path());
        }
        return new DriveSet.Started(set, table, Map.of(), true);
    }

    private void requireFormable() throws IOException {
        for (var sight : sights.values()) {
            if (sight.kind() == Sight.Kind.BROKEN) {
                throw new DriveRefusedException(sight.problem());
            }
            if (sight.identity().isPresent()
                    && !Sight.isEmpty(sight.path())
                    && !sight.identity().get().formed()) {
                throw new DriveRefusedException(
                        "drive " + sight.path() + " has objects, but was never formed: empty it");
            }
        }
        if (!damaged.isEmpty()) {
            throw new DriveRefusedException(
                    "no drive of %s knows which drives there are: %s; restore one from another drive or a copy"
                            .formatted(set.node(), String.join("; ", damaged)));
        }
    }
}
