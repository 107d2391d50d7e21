package dev.sluice.targetnode.storage.attach;

import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The set of drives as it was kept before there was a drive table: in each drive's identity, and which of them were
/// disabled in `.sluice/disabled.json`, of which the newest undamaged copy counts.
final class FormerSet {
    private static final Logger LOG = LoggerFactory.getLogger(FormerSet.class);
    private static final int FORMAT = 1;
    private static final String UNKNOWN = "(unknown)";
    private static final String DISABLED = ".sluice/disabled.json";

    private FormerSet() {}

    /// @return empty when no drive here was used before there was a drive table
    static Optional<DriveTable> table(Collection<Sight> sights) {
        var set = sights.stream()
                .flatMap(sight -> sight.identity().stream())
                .filter(DriveIdentity::formed)
                .map(DriveIdentity::formerSet)
                .filter(former -> !former.isEmpty())
                .findFirst();
        return set.map(weights -> table(weights, sights));
    }

    /// Where a drive is that is not there was not kept: at one of the paths that have none.
    private static DriveTable table(Map<String, Long> weights, Collection<Sight> sights) {
        var disabled = disabled(sights);
        var members = new HashMap<String, Member>();
        var missing = new TreeSet<>(weights.keySet());
        for (var sight : sights) {
            sight.identity()
                    .filter(identity -> missing.remove(identity.id()))
                    .ifPresent(identity -> members.put(
                            identity.id(), Member.at(sight.path().toString(), identity.weight(), sight.mount())));
        }
        var free = new ArrayDeque<Sight>(sights);
        free.removeIf(sight -> sight.identity().isPresent());
        for (var id : missing) {
            var path =
                    Optional.ofNullable(free.poll()).map(sight -> sight.path().toString());
            var known = Optional.ofNullable(disabled.get(id)).or(() -> path).orElse(UNKNOWN);
            members.put(id, Member.at(known, Objects.requireNonNull(weights.get(id))));
        }
        var table = DriveTable.of(members);
        for (var id : disabled.keySet()) {
            table = members.containsKey(id) ? table.disabling(id, true) : table;
        }
        return table;
    }

    private static Map<String, String> disabled(Collection<Sight> sights) {
        long newest = 0;
        var paths = new HashMap<String, String>();
        for (var sight : sights) {
            try {
                var json = ChecksummedJson.read(sight.path().resolve(DISABLED), FORMAT);
                if (json.isPresent() && json.get().path("version").asLong() > newest) {
                    newest = json.get().path("version").asLong();
                    paths.clear();
                    json.get()
                            .path("disabled")
                            .properties()
                            .forEach(each ->
                                    paths.put(each.getKey(), each.getValue().asText()));
                }
            } catch (IOException unreadable) {
                LOG.warn("{} is not asked which drives are disabled: {}", sight.path(), unreadable.toString());
            }
        }
        return paths;
    }

    /// To be called once the drive table is on the drive.
    static void forget(Path drive) throws IOException {
        Files.deleteIfExists(drive.resolve(DISABLED));
    }
}
