package dev.sluice.targetnode.storage.spread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// A target starts with the newest table that counted, or not at all, whatever its drives go through: each keeps a copy
/// of the table and nothing else.
class WhichTableCountsTest {
    private static final int SEQUENCES = System.getProperty("long") == null ? 5_000 : 20_000;
    private static final int EVENTS = 60;

    @Test
    void noStartBelievesAnOldTable() {
        int starts = 0;
        int refusals = 0;
        for (long seed = 0; seed < SEQUENCES; seed++) {
            var target = new Target(seed);
            for (int event = 0; event < EVENTS; event++) {
                target.happen();
            }
            starts += target.starts;
            refusals += target.refusals;
        }
        assertThat(starts).as("starts that were seen").isGreaterThan(SEQUENCES);
        assertThat(refusals).as("starts that were refused").isGreaterThan(SEQUENCES / 10);
    }

    private static final class Target {
        private final long seed;
        private final Random random;
        private final Map<String, DriveTable> copies = new TreeMap<>();
        private final Map<String, Set<Set<String>>> asked = new HashMap<>();
        private final Map<String, Long> closed = new HashMap<>();
        private final Set<String> absentAtAStart = new HashSet<>();
        private final TreeSet<String> there = new TreeSet<>();
        private final List<String> events = new ArrayList<>();
        private DriveTable counting;
        private boolean running = true;
        private long version = 1;
        private int named;
        private int starts;
        private int refusals;

        Target(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            var members = new HashMap<String, Member>();
            int drives = 1 + random.nextInt(5);
            while (named < drives) {
                members.put(newId(), Member.at("/mnt/" + named, 1));
            }
            counting = DriveTable.of(members);
            members.keySet().forEach(id -> {
                copies.put(id, counting);
                asked.put(id, Set.of(members.keySet()));
                there.add(id);
            });
        }

        private String newId() {
            return "d" + named++;
        }

        void happen() {
            switch (random.nextInt(running ? 8 : 4)) {
                case 0 -> there.remove(any(copies.keySet()));
                case 1, 2 -> there.add(any(copies.keySet()));
                case 3 -> {
                    if (running) {
                        stop(random.nextBoolean());
                    } else {
                        start();
                    }
                }
                case 4, 5, 6 -> attend();
                default -> operate();
            }
        }

        private String any(Set<String> ids) {
            return ids.stream().skip(random.nextInt(ids.size())).findFirst().orElseThrow();
        }

        /// Some of what is to be changed for drives that came or went.
        private void attend() {
            var next = counting;
            for (var id : counting.members().keySet()) {
                if (random.nextInt(4) > 0) {
                    next = there.contains(id) ? next.withBack(id) : next.without(id);
                }
            }
            change(next);
        }

        private void operate() {
            var id = any(counting.members().keySet());
            boolean isLast = counting.current().has(id) && counting.current().size() == 1;
            switch (random.nextInt(4)) {
                case 0 -> {
                    var fresh = newId();
                    there.add(fresh);
                    change(counting.attaching(fresh, Member.at("/mnt/" + fresh, 1)));
                    if (!counting.members().containsKey(fresh)) {
                        forget(fresh); // the operator tries with another one
                    }
                }
                case 1 -> {
                    if (!isLast && !there.contains(id)) {
                        change(counting.forgetting(id));
                        forget(id); // the operator has said so, also if it failed
                    }
                }
                case 2 -> {
                    if (!isLast) {
                        change(counting.detaching(id));
                    }
                }
                default -> change(counting.settled());
            }
        }

        /// What was given up never comes back.
        private void forget(String id) {
            if (copies.size() > 1) {
                copies.remove(id);
                there.remove(id);
            }
        }

        /// Some drives take it, and some fail.
        private void change(DriveTable stepped) {
            change(stepped, Set.of());
        }

        private void change(DriveTable stepped, Set<Set<String>> askedBefore) {
            if (stepped.equals(counting)) {
                return;
            }
            var next = stepped.numbered(++version);
            var all = new HashSet<>(askedBefore);
            all.add(counting.asked(next));
            var having = new TreeSet<String>();
            for (var id : next.members().keySet()) {
                if (there.contains(id) && random.nextInt(4) > 0) {
                    copies.put(id, next);
                    asked.put(id, all);
                    absentAtAStart.remove(id);
                    having.add(id);
                }
            }
            if (counting.isSucceededBy(next, askedBefore, having)) {
                counting = next;
            }
            events.add("%s on %s%s".formatted(next, having, counting.equals(next) ? "" : " does not count"));
        }

        private void stop(boolean inOrder) {
            events.add(inOrder ? "stopped" : "killed");
            running = false;
            if (inOrder) {
                there.stream()
                        .filter(counting.current()::has)
                        .filter(id -> counting.equals(copies.get(id)))
                        .forEach(id -> closed.put(id, counting.version()));
            }
        }

        private DriveTable copy(String id) {
            return Objects.requireNonNull(copies.get(id));
        }

        private void start() {
            var present = new TreeSet<>(there);
            present.removeIf(
                    id -> !copies.containsKey(id) || !copy(id).members().containsKey(id));
            if (present.isEmpty()) {
                return;
            }
            var holder = present.stream()
                    .max(java.util.Comparator.comparingLong(id -> copy(id).version()))
                    .orElseThrow();
            var found = copy(holder);
            present.removeIf(id -> !found.members().containsKey(id));
            var having = new TreeSet<>(present);
            having.removeIf(id -> !copy(id).equals(found));
            var ended = new TreeSet<>(present);
            ended.removeIf(id -> closed.getOrDefault(id, 0L) != found.version());
            var askedOf = new HashSet<Set<String>>();
            for (var drives : Objects.requireNonNull(asked.get(holder))) {
                var left = new TreeSet<>(drives);
                left.retainAll(found.members().keySet());
                askedOf.add(left);
            }
            boolean refused = found.mayBeOld(askedOf, having, present, ended);
            ended.removeAll(absentAtAStart);
            if (refused || found.mayBeOld(askedOf, having, present, ended)) {
                refusals++;
                return; // the second: halves that take turns, each once stopped in order, cannot be told apart
            }
            starts++;
            assertThat(found.version())
                    .as("seed %d: %s starts with %s%n%s", seed, present, found, String.join("\n", events))
                    .isGreaterThanOrEqualTo(counting.version());
            events.add("started with " + present);
            var before = counting;
            counting = found;
            running = true;
            absentAtAStart.addAll(copies.keySet());
            absentAtAStart.removeAll(present);
            present.forEach(closed::remove);
            boolean counts = found.surelyCounts(askedOf, having, ended);
            if (!counts || !having.containsAll(present)) {
                change(found.numbered(0), counts ? Set.of() : askedOf);
                running = counting.version() == version;
                counting = running ? counting : before;
            }
        }
    }
}
