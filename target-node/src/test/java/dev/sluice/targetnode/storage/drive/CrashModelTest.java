package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.placement.Slot;
import dev.sluice.targetnode.storage.drive.KeyStates.State;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Random changes of a few keys that are in each other's way, broken off by a crash or a failing call somewhere,
/// also in the repair after it. What was acknowledged must be there, whole; what was in flight is there or not;
/// what was refused is not. What was acknowledged unsynced outlives the process; a loss of power may take it, or damage
/// it; but where it replaced an object that was synced, one of the two is there, whole.
///
/// Some changes are prepared, and committed or aborted later. A prepared one that was synced is open after any crash,
/// with its bytes. A loss of power may undo the end of commits and aborts: then it is open again. The row that it was
/// about to replace may be damaged then, for it is to be committed anyway.
///
/// A seed that fails replays: its number is in the message.
class CrashModelTest {
    private static final List<Faults.Kind> KINDS = List.of(Faults.Kind.values());
    private static final List<BucketRef> BUCKETS = List.of(new BucketRef(3, "bucket"), new BucketRef(4, "other"));
    private static final List<String> KEYS = List.of("a", "a/b", "a/b/c", "a/", "x/y", "z");

    /// A change under way.
    ///
    /// @param next what is to become of the key
    /// @param durable whether it was asked for that
    /// @param keepsRow whether it commits what is older than the row, and so does nothing to that
    private record Step(String key, DriveWrite write, State next, boolean durable, boolean keepsRow) {
        Step(String key, DriveWrite write, State next, boolean durable) {
            this(key, write, next, durable, false);
        }

        /// Of what the row makes way for.
        boolean isCommit() {
            return write instanceof DriveWrite.Committing && !keepsRow;
        }
    }

    private final Map<String, Step> inFlight = new HashMap<>();

    /// The versions that were prepared unsynced.
    private final Set<Long> weak = new HashSet<>();

    /// The versions that are of deletions.
    private final Set<Long> deletions = new HashSet<>();

    private Random random = new Random();
    private Faults faults = new Faults();
    private SimulatedFiles files = new SimulatedFiles(faults);
    private MemoryIndex index = new MemoryIndex(faults);
    private Contents contents = new Contents(files, index);
    private KeyStates states = new KeyStates(KEYS);
    private long sequence;

    @Test
    void aCrashOrErrorAnywhereLosesNothingThatWasAcknowledged() throws Exception {
        Seeds.each(this::run);
    }

    private void run(long seed) throws IOException {
        random = new Random(seed);
        faults = new Faults();
        files = new SimulatedFiles(faults);
        index = new MemoryIndex(faults);
        sequence = 0;
        states = new KeyStates(KEYS);
        inFlight.clear();
        weak.clear();
        deletions.clear();
        start();
        for (int round = 0; round < 4; round++) {
            var kind = KINDS.get(random.nextInt(KINDS.size()));
            faults.arm(kind, random.nextInt(150));
            boolean stopped = changeUntilStopped();
            faults.arm(Faults.Kind.NONE, 0);
            boolean again = stopped || random.nextBoolean();
            if (again) {
                restart();
            }
            check(seed);
            if (again) {
                requireStagingOfOpenIntentsOnly(seed);
            }
        }
        for (var key : KEYS) {
            if (states.now(key).open() != 0) {
                run(List.of(fate(key, true)), List.of());
            }
        }
        check(seed);
    }

    private void start() throws IOException {
        contents = new Contents(files, index);
        if (!new DriveStart(contents).isIndexed()) {
            new DriveStart(contents).rebuild();
        }
        new DriveStart(contents).recover();
    }

    /// With a loss of power or without, and perhaps another one while it repairs.
    private void restart() throws IOException {
        inFlight.forEach((key, step) -> {
            states.perhaps(key, step.next, step.isCommit());
            if (!lasts(step)) {
                states.unsynced(key);
            }
        });
        inFlight.clear();
        for (int attempt = 0; ; attempt++) {
            if (random.nextInt(4) > 0) {
                states.power(index.synced());
                files.crash(random);
                index.crash(random);
            }
            states.restarted();
            faults.arm(attempt < 2 ? Faults.Kind.CRASH : Faults.Kind.NONE, random.nextInt(60));
            try {
                start();
                faults.arm(Faults.Kind.NONE, 0);
                states.repaired();
                return;
            } catch (SimulatedCrash _) {
                // once more
            }
        }
    }

    private boolean changeUntilStopped() {
        try {
            for (int i = 0; i < 12; i++) {
                if (random.nextInt(6) == 0) {
                    contents.settle();
                } else {
                    changeSome();
                }
            }
            return false;
        } catch (SimulatedCrash | IOException _) {
            return true; // after an error in a commit a drive takes no more either
        }
    }

    private void changeSome() throws IOException {
        var steps = new ArrayList<Step>();
        var keys = new ArrayList<>(KEYS);
        Collections.shuffle(keys, random);
        for (var key : keys.subList(0, 1 + random.nextInt(3))) {
            step(key).ifPresent(steps::add);
        }
        int first = random.nextInt(steps.size() + 1);
        run(steps.subList(0, first), steps.subList(first, steps.size()));
    }

    private Optional<Step> step(String key) throws IOException {
        long open = states.now(key).open();
        if (open != 0 && (weak.contains(open) || random.nextBoolean())) {
            return Optional.of(fate(key, random.nextBoolean()));
        }
        boolean prepared = open == 0 && random.nextBoolean();
        boolean deletion = random.nextInt(3) == 0;
        if (deletion && !prepared && contents.entry(bucket(key).id(), key).isEmpty()) {
            return Optional.empty();
        }
        long version = ++sequence;
        boolean durable = random.nextInt(5) > 0;
        try {
            var change = deletion
                    ? Prepared.deletion(bucket(key), key, version(version), durable)
                    : preparePut(key, version, durable);
            boolean lasts = durable || (!deletion && states.lasts(key));
            if (prepared && !lasts) {
                weak.add(version);
            }
            if (deletion) {
                deletions.add(version);
            }
            return Optional.of(
                    prepared
                            ? new Step(
                                    key,
                                    new DriveWrite.Opening(change),
                                    new State(states.now(key).row(), version),
                                    lasts)
                            : new Step(
                                    key, new DriveWrite.Whole(change), new State(deletion ? 0 : version, open), lasts));
        } catch (IOException _) {
            files.delete(Layout.work(version(version)));
            return Optional.empty();
        }
    }

    /// The end of what is open.
    private Step fate(String key, boolean commit) throws IOException {
        var now = states.now(key);
        var name = new ObjectKey(bucket(key).id(), key);
        if (commit) {
            var next = new State(rowAfterCommit(key, now), 0);
            boolean keepsRow = next.row() == now.row() && now.row() != 0;
            return new Step(
                    key,
                    new DriveWrite.Committing(name, version(now.open())),
                    next,
                    !weak.contains(now.open()),
                    keepsRow);
        }
        boolean sync = random.nextBoolean();
        return new Step(
                key,
                new DriveWrite.Aborting(name, version(now.open()), sync),
                new State(now.row(), 0),
                !weak.contains(now.open()));
    }

    /// A row that is newer than the intent stays.
    private long rowAfterCommit(String key, State now) throws IOException {
        var row = now.row() == KeyStates.DAMAGED
                ? contents.row(bucket(key).id(), key) // only the index knows which version that was
                : Optional.of(version(now.row())); // that of 0 is less than any
        if (row.isPresent() && row.get().compareTo(version(now.open())) > 0) {
            return now.row();
        }
        return deletions.contains(now.open()) ? 0 : now.open();
    }

    /// As the two threads of a drive do: the second group is decided, and things are settled, before the first is
    /// fulfilled, which it is also when the second fails.
    private void run(List<Step> first, List<Step> second) throws IOException {
        inFlight.clear();
        for (var each : List.of(first, second)) {
            for (var step : each) {
                inFlight.put(step.key, step);
                states.begun(step.key, step.next);
            }
        }
        decide(first);
        try {
            decide(second);
            if (random.nextInt(4) == 0) {
                contents.settle();
            }
        } finally {
            fulfil(first);
        }
        fulfil(second);
        inFlight.clear();
    }

    private void decide(List<Step> group) throws IOException {
        var admission = contents.admission();
        for (var each : group) {
            assertThat(admission.admits(each.write)).as("%s", each).isTrue();
        }
        contents.decide(group.stream().map(Step::write).toList());
    }

    private void fulfil(List<Step> group) throws IOException {
        var results = contents.fulfil(group.stream().map(Step::write).toList());
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).isEmpty()) {
                acknowledged(group.get(i));
            }
            inFlight.remove(group.get(i).key);
        }
    }

    /// Whether a loss of power leaves the whole key as it is after this, or as it was.
    private boolean lasts(Step step) {
        return step.durable && !weak.contains(step.next.open());
    }

    private void acknowledged(Step step) throws IOException {
        boolean wasUnsteady = states.isUnsteady(step.key);
        boolean settlesRow = step.write instanceof DriveWrite.Whole || (step.isCommit() && !wasUnsteady);
        states.became(step.key, step.next, lasts(step) && settlesRow, step.isCommit(), index.written());
        if (!lasts(step)) {
            states.unsynced(step.key);
        }
        if (step.isCommit() && wasUnsteady && step.next.row() != 0) {
            states.perhapsDamaged(step.key); // its bytes were never synced
            states.found(step.key, new State(versionOf(step.key), step.next.open()));
        }
    }

    /// Some are less than an earlier one of their key, as where a learner copies an older object.
    private static ObjectVersion version(long sequence) {
        return new ObjectVersion(sequence % 7 == 0 ? 1 : 2, sequence);
    }

    /// Each key is one bucket's alone.
    private static BucketRef bucket(String key) {
        return BUCKETS.get(key.startsWith("a") ? 0 : 1);
    }

    private Prepared preparePut(String key, long version, boolean durable) throws IOException {
        var content = content(version);
        var work = Layout.work(version(version));
        var record = record(key, version, content);
        var small = durable && version % 2 == 0
                ? Prepared.smallPut(bucket(key), work, record, content, new IndexBatch())
                : Optional.<Prepared>empty();
        if (small.isPresent()) {
            return small.get();
        }
        try (var file = files.create(work)) {
            file.write(0, ByteBuffer.wrap(content));
            return new DriveStore(contents).preparePut(bucket(key), work, file, record, new IndexBatch(), durable);
        }
    }

    private static byte[] content(long version) {
        return Bytes.random(version, (int) (version % 50));
    }

    private static ObjectRecord record(String key, long version, byte[] content) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        var metadata = new TreeMap<String, String>();
        if (version % 3 == 0) {
            metadata.put("long", "m".repeat(4000)); // does not fit into the attribute
        }
        return new ObjectRecord(
                bucket(key).id(),
                key,
                version(version),
                content.length,
                1,
                2,
                "etag" + version,
                Map.of(),
                new TreeMap<>(),
                metadata,
                Optional.empty(),
                Optional.empty(),
                summer.finish(content.length),
                Optional.empty(),
                BlockSums.of());
    }

    private void check(long seed) throws IOException {
        long objects = 0;
        for (var key : KEYS) {
            long row = versionOf(key);
            var open = contents.open().get(new ObjectKey(bucket(key).id(), key));
            var found = new State(
                    row, open.map(each -> each.intent().version().sequence()).orElse(0L));
            assertThat(states.of(key)).as("seed %d, key %s", seed, key).contains(found);
            states.found(key, found);
            objects += row == 0 ? 0 : 1;
        }
        requireSlotsLikeObjects(seed);
        var listed = new ArrayList<String>();
        var sums = new TreeMap<Long, Usage>();
        index.scan(Table.OBJECTS, new byte[0], (key, value) -> {
            var usage = new Usage(1, ObjectEntry.decode(value).size(), 0);
            sums.merge(IndexKeys.number(key), usage, Usage::plus);
            return listed.add(IndexKeys.keyOf(key));
        });
        assertThat(listed)
                .as("seed %d, listing", seed)
                .isEqualTo(KEYS.stream()
                        .filter(key -> states.mayHaveRow(key))
                        .sorted(Comparator.comparing(
                                key -> IndexKeys.object(bucket(key).id(), key), Arrays::compareUnsigned))
                        .toList());
        assertThat(contents.totals().objects()).as("seed %d, totals", seed).isEqualTo(objects);
        for (var bucket : BUCKETS) {
            assertThat(contents.usages().of(bucket.id()))
                    .as("seed %d, what %s takes", seed, bucket.name())
                    .isEqualTo(sums.getOrDefault(bucket.id(), Usage.NONE));
        }
        assertThat(new DriveStart(contents).isCounted())
                .as("seed %d, totals as stored", seed)
                .isTrue();
    }

    private void requireSlotsLikeObjects(long seed) throws IOException {
        var objects = new TreeMap<String, String>();
        index.scan(Table.OBJECTS, new byte[0], (key, value) -> {
            var entry = ObjectEntry.decode(value);
            objects.put(IndexKeys.number(key) + IndexKeys.keyOf(key), entry.version() + " " + entry.damaged());
            return true;
        });
        var inSlots = new TreeMap<String, String>();
        for (var key : KEYS) {
            new DriveStore(contents)
                    .scanSlot(
                            Slot.of(bucket(key).id(), key), 1, Optional.empty(), (bucketId, found, slice, damaged) -> {
                                inSlots.put(bucketId + found, slice.version() + " " + damaged);
                                return true;
                            });
        }
        assertThat(inSlots).as("seed %d, rows of slots", seed).isEqualTo(objects);
    }

    private void requireStagingOfOpenIntentsOnly(long seed) throws IOException {
        var staged = new ArrayList<String>();
        FolderWalk.each(files, Layout.WORK, name -> staged.add(Layout.WORK + "/" + name));
        assertThat(staged)
                .as("seed %d, staging files", seed)
                .hasSameElementsAs(contents.open().all().stream()
                        .flatMap(each -> each.staging().stream())
                        .toList());
    }

    private long versionOf(String key) throws IOException {
        return switch (new DriveStore(contents).find(bucket(key), key)) {
            case Found.Absent() -> 0;
            case Found.Damaged _ -> KeyStates.DAMAGED;
            case Found.Present(var record, var file) -> {
                var read = ByteBuffer.allocate((int) record.size());
                file.read(0, read);
                long version = record.version().sequence();
                yield Arrays.equals(read.array(), content(version)) ? version : KeyStates.DAMAGED;
            }
        };
    }
}
