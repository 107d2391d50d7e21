package dev.sluice.targetnode.controller.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A controller starts with the newest state that counted, or not at all, whatever its drives go through: they fail
/// before and after they took a copy, hang, go, come back, are attached and detached, while the controller is killed
/// and its machine loses power in the middle of a save.
class NewestStateTest {
    private static final NodeId OTHER = new NodeId("target009");
    private static final NodeId SELF = new NodeId("target001");
    private static final int EVENTS = 80;
    private static final int FEW = 400;
    private static final List<Condition> CONDITIONS = List.of(Condition.values());

    @Test
    void noStartTakesAnOlderStateAndOneWithAllDrivesAlwaysSucceeds() {
        run(0, FEW);
    }

    @Tag("long")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    @Test
    void noStartTakesAnOlderStateInManyMoreSequences() {
        run(FEW, 500_000);
    }

    private static void run(long from, long to) {
        var seen = new Seen();
        for (long seed = from; seed < to; seed++) {
            var world = new World(seed, seen);
            try {
                world.live();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed %d%n%s".formatted(seed, String.join("\n", world.events)), failure);
            }
        }
        long runs = to - from;
        assertThat(seen.starts).as("starts").isGreaterThan(runs);
        assertThat(seen.refusals).as("refused starts").isGreaterThan(runs / 10);
        assertThat(seen.crashes).as("crashes in a save").isGreaterThan(runs / 10);
        assertThat(seen.unknown).as("states whose outcome was unknown").isGreaterThan(runs / 100);
        assertThat(seen.detached).as("detached drives").isGreaterThan(runs / 10);
    }

    private static final class Seen {
        private long starts;
        private long refusals;
        private long crashes;
        private long unknown;
        private long detached;
    }

    /// The process ends here.
    private static final class Killed extends Error {}

    private enum Condition {
        WELL,
        /// Takes nothing.
        READ_ONLY,
        /// Takes it, fails, and loses it with the power.
        FAILS_AFTER,
        HANGS,
        AWAY
    }

    /// What is on the drives, and what becomes of it.
    private static final class Drives implements StateDisk {
        private final Random random;
        private final TestDrives known = TestDrives.at();
        private final Map<String, Condition> conditions = new TreeMap<>();
        private final Map<String, byte[]> visible = new TreeMap<>();
        private final Map<String, byte[]> durable = new TreeMap<>();
        private final List<Map.Entry<String, Runnable>> hanging = new ArrayList<>();
        private int writesToKill = Integer.MAX_VALUE;

        Drives(Random random) {
            this.random = random;
        }

        private static String id(Path file) {
            return file.getName(0).toString();
        }

        private Condition condition(String id) {
            return conditions.getOrDefault(id, Condition.AWAY);
        }

        @Override
        public Optional<byte[]> read(Path file) throws IOException {
            if (condition(id(file)) == Condition.AWAY) {
                throw new IOException("it is away");
            }
            return Optional.ofNullable(visible.get(id(file)));
        }

        @Override
        public void write(Path file, byte[] head, byte[] state) throws IOException {
            var id = id(file);
            var condition = condition(id);
            if (condition == Condition.READ_ONLY || condition == Condition.AWAY) {
                throw new IOException("it is " + condition);
            }
            var bytes = new byte[head.length + state.length];
            System.arraycopy(head, 0, bytes, 0, head.length);
            System.arraycopy(state, 0, bytes, head.length, state.length);
            visible.put(id, bytes);
            if (condition == Condition.FAILS_AFTER) {
                throw new IOException("its folder cannot be synced");
            }
            durable.put(id, bytes);
        }

        @Override
        public void sync(Path file) {
            var bytes = visible.get(id(file));
            if (bytes != null) {
                durable.put(id(file), bytes);
            }
        }

        @Override
        public void start(String name, Runnable work) {
            if (name.equals("state")) {
                work.run();
                return;
            }
            if (--writesToKill < 0) {
                throw new Killed();
            }
            var id = name.substring("state ".length());
            boolean underWay = writesToKill < 10 && random.nextBoolean();
            if (condition(id) == Condition.HANGS || underWay) {
                hanging.add(Map.entry(id, work));
            } else {
                work.run();
            }
        }

        void goOn(String id) {
            var ended =
                    hanging.stream().filter(each -> each.getKey().equals(id)).toList();
            hanging.removeAll(ended);
            ended.forEach(each -> each.getValue().run());
        }

        /// What was under way has come to an end, or has not.
        void killed(boolean power) {
            writesToKill = Integer.MAX_VALUE;
            var left = List.copyOf(hanging);
            hanging.clear();
            left.stream()
                    .filter(_ -> random.nextBoolean())
                    .forEach(each -> each.getValue().run());
            hanging.clear();
            if (power) {
                visible.clear();
                visible.putAll(durable);
            }
        }
    }

    private static final class World {
        private final Random random;
        private final Seen seen;
        private final Drives drives;
        private final List<String> events = new ArrayList<>();
        private final Set<String> leaving = new HashSet<>();
        private Optional<StateFiles> running = Optional.empty();
        private ClusterState state = ClusterState.create("cluster", new TreeSet<>(Set.of(SELF)), new TreeMap<>());
        private int named;
        private long tried;
        private long counted;

        World(long seed, Seen seen) {
            this.random = new Random(seed);
            this.seen = seen;
            this.drives = new Drives(random);
            int first = 1 + random.nextInt(4);
            while (named < first) {
                attach();
            }
        }

        private void attach() {
            var id = "d" + named++;
            drives.known.add(Path.of(id));
            drives.conditions.put(id, Condition.WELL);
        }

        void live() {
            for (int event = 0; event < EVENTS; event++) {
                if (running.isEmpty()) {
                    change();
                    start();
                } else {
                    go(running.get());
                }
            }
            kill();
            startWithAll();
        }

        private void go(StateFiles files) {
            switch (random.nextInt(16)) {
                case 0, 1, 2 -> change();
                case 3 -> kill();
                case 4, 5 -> {
                    drives.writesToKill = random.nextInt(8);
                    save(files);
                    drives.writesToKill = Integer.MAX_VALUE;
                }
                case 6 -> detach(files);
                case 7 -> {
                    if (named < 6) {
                        attach();
                    }
                }
                case 8, 9, 10 -> {
                    if (files.isDue()) {
                        save(files);
                    }
                }
                default -> save(files);
            }
        }

        private String any() {
            var ids = drives.known.now();
            return ids.get(random.nextInt(ids.size())).id();
        }

        private void change() {
            var id = any();
            var next = random.nextInt(3) > 0 ? Condition.WELL : CONDITIONS.get(random.nextInt(CONDITIONS.size()));
            drives.conditions.put(id, next);
            events.add(id + " is " + next);
            if (next != Condition.HANGS) {
                drives.goOn(id);
            }
        }

        private void detach(StateFiles files) {
            var id = any();
            if (leaving.size() + 1 < drives.known.now().size() && leaving.add(id)) {
                drives.known.keep(id, false);
                events.add(id + " is to go");
            }
            for (var each : Set.copyOf(leaving)) {
                if (!files.isKeptOn(each)) {
                    leaving.remove(each);
                    drives.known.remove(each);
                    drives.conditions.remove(each);
                    events.add(each + " is gone");
                    seen.detached++;
                }
            }
        }

        private void save(StateFiles files) {
            tried++;
            var next = Planner.next(state, new Command.ControllerBoot(OTHER, (int) tried))
                    .carrying(new TreeMap<>(Map.of("save", Long.toString(tried))));
            try {
                files.save(next);
                state = next;
                counted = tried;
                events.add("save " + tried + " counts");
            } catch (IOException failure) {
                events.add("save " + tried + " fails: " + failure.getMessage());
                kill();
            } catch (Killed _) {
                events.add("killed in save " + tried);
                seen.crashes++;
                kill();
            }
        }

        private void kill() {
            boolean power = random.nextBoolean();
            events.add(power ? "power is cut" : "stopped");
            running = Optional.empty();
            drives.killed(power);
        }

        private boolean start() {
            var files = new StateFiles(drives.known, SELF, Duration.ZERO, drives);
            Optional<ClusterState> found;
            try {
                found = files.load();
            } catch (IOException refused) {
                events.add("refused: " + refused.getMessage());
                seen.refusals++;
                return false;
            }
            seen.starts++;
            long start = found.map(each -> Long.parseLong(each.credentials().getOrDefault("save", "0")))
                    .orElse(0L);
            events.add("starts with save " + start);
            assertThat(start).as("the save that a start takes").isGreaterThanOrEqualTo(counted);
            seen.unknown += start > counted ? 1 : 0;
            var taken = found.orElse(state);
            int boot = taken.replication().controllers().getOrDefault(SELF, 0) + 1;
            state = Planner.next(taken, new Command.ControllerBoot(SELF, boot));
            running = Optional.of(files);
            if (random.nextInt(4) == 0) {
                drives.writesToKill = random.nextInt(4);
            }
            save(files);
            drives.writesToKill = Integer.MAX_VALUE;
            return running.isPresent();
        }

        private void startWithAll() {
            drives.conditions.replaceAll((_, _) -> Condition.WELL);
            events.add("all are well");
            boolean started = false;
            for (int attempt = 0; attempt < 50 && !started; attempt++) { // until none is killed
                long refusals = seen.refusals;
                started = start();
                assertThat(seen.refusals).as("refusals with all drives").isEqualTo(refusals);
            }
            assertThat(started).isTrue();
        }
    }
}
