package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
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
/// it; but where it replaced an object that was synced, one of the two is there, whole. A seed that fails replays: its
/// number is in the message.
class CrashModelTest {
    private static final List<Faults.Kind> KINDS = List.of(Faults.Kind.values());
    private static final long DAMAGED = -1;
    private static final List<BucketRef> BUCKETS = List.of(new BucketRef(3, "bucket"), new BucketRef(4, "other"));
    private static final List<String> KEYS = List.of("a", "a/b", "a/b/c", "a/", "x/y", "z");

    /// What may be found for a key: each version it may have, 0 for none.
    private final Map<String, Set<Long>> allowed = new TreeMap<>();

    /// All that a key ever had. A loss of power may bring any of it back when the last change was not synced.
    private final Map<String, Set<Long>> history = new HashMap<>();

    /// The keys whose last acknowledged change was not synced.
    private final Set<String> unsynced = new HashSet<>();

    /// Those of them that have seen a loss of power: what they have may change with each restart.
    private final Set<String> unsteady = new HashSet<>();

    /// The keys of the latest commit that were changed unsynced.
    private final Set<String> notSynced = new HashSet<>();

    private final Map<String, Long> inFlight = new HashMap<>();
    private Random random = new Random();
    private Faults faults = new Faults();
    private SimulatedFiles files = new SimulatedFiles(faults);
    private MemoryIndex index = new MemoryIndex(faults);
    private Contents contents = new Contents(files, index);
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
        allowed.clear();
        history.clear();
        unsynced.clear();
        unsteady.clear();
        KEYS.forEach(key -> allowed.put(key, Set.of(0L)));
        start();
        for (int round = 0; round < 4; round++) {
            var kind = KINDS.get(random.nextInt(KINDS.size()));
            faults.arm(kind, random.nextInt(150));
            boolean stopped = changeUntilStopped();
            faults.arm(Faults.Kind.NONE, 0);
            if (stopped || random.nextBoolean()) {
                restart();
            }
            check(seed);
        }
    }

    private void start() throws IOException {
        contents = new Contents(files, index);
        if (!contents.isIndexed()) {
            contents.rebuild();
        }
        contents.recover();
    }

    /// With a loss of power or without, and perhaps another one while it repairs.
    private void restart() throws IOException {
        inFlight.forEach((key, version) -> {
            var either = new HashSet<>(allowed.getOrDefault(key, Set.of()));
            either.add(version);
            allowed.put(key, either);
            if (notSynced.contains(key)) {
                unsynced.add(key);
            }
        });
        inFlight.clear();
        for (int attempt = 0; ; attempt++) {
            if (random.nextInt(4) > 0) {
                files.crash(random);
                index.crash(random);
                unsteady.addAll(unsynced);
            }
            for (var key : unsteady) {
                var any = new HashSet<>(history.getOrDefault(key, Set.of(DAMAGED, 0L)));
                any.addAll(allowed.getOrDefault(key, Set.of()));
                allowed.put(key, any);
            }
            faults.arm(attempt < 2 ? Faults.Kind.CRASH : Faults.Kind.NONE, random.nextInt(60));
            try {
                start();
                faults.arm(Faults.Kind.NONE, 0);
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
        var group = new ArrayList<Prepared>();
        var versions = new ArrayList<Map.Entry<String, Long>>();
        notSynced.clear();
        var keys = new ArrayList<>(KEYS);
        java.util.Collections.shuffle(keys, random);
        for (var key : keys.subList(0, 1 + random.nextInt(3))) {
            long version = ++sequence;
            boolean deletion = random.nextInt(3) == 0;
            boolean durable = random.nextInt(5) > 0;
            if (deletion && contents.entry(bucket(key).id(), key).isEmpty()) {
                continue;
            }
            try {
                group.add(
                        deletion
                                ? Contents.prepareDelete(bucket(key), key, new ObjectVersion(1, version), durable)
                                : preparePut(key, version, durable));
                versions.add(Map.entry(key, deletion ? 0L : version));
                notSynced.add(durable || (!deletion && lasts(key)) ? "" : key);
            } catch (IOException _) {
                files.delete(Layout.work(new ObjectVersion(1, version)));
            }
        }
        inFlight.clear();
        for (var each : versions) {
            inFlight.put(each.getKey(), each.getValue());
            history.computeIfAbsent(each.getKey(), _ -> new HashSet<>(Set.of(DAMAGED, 0L)))
                    .add(each.getValue());
        }
        int first = random.nextInt(group.size() + 1);
        commitOverlapping(group.subList(0, first), versions, group.subList(first, group.size()));
        inFlight.clear();
    }

    /// As the two threads of a drive do: the second group is decided, and things are settled, before the first is
    /// fulfilled, which it is also when the second fails.
    private void commitOverlapping(List<Prepared> first, List<Map.Entry<String, Long>> versions, List<Prepared> second)
            throws IOException {
        contents.decide(first);
        try {
            contents.decide(second);
            if (random.nextInt(4) == 0) {
                contents.settle();
            }
        } finally {
            fulfil(first, versions);
        }
        fulfil(second, versions.subList(first.size(), versions.size()));
    }

    private void fulfil(List<Prepared> group, List<Map.Entry<String, Long>> versions) throws IOException {
        var results = contents.fulfil(group);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).isEmpty()) {
                acknowledged(versions.get(i).getKey(), versions.get(i).getValue());
            }
        }
    }

    /// Whether a loss of power leaves the object that is there now. It leaves it also when the object is overwritten
    /// unsynced: it, or the one that replaced it.
    private boolean lasts(String key) {
        var now = allowed.getOrDefault(key, Set.of());
        return !unsynced.contains(key) && now.size() == 1 && !now.contains(0L) && !now.contains(DAMAGED);
    }

    private void acknowledged(String key, long version) {
        if (notSynced.contains(key)) {
            unsynced.add(key);
        } else {
            unsynced.remove(key);
            unsteady.remove(key);
        }
        allowed.put(key, Set.of(version));
    }

    /// Each key is one bucket's alone.
    private static BucketRef bucket(String key) {
        return BUCKETS.get(key.startsWith("a") ? 0 : 1);
    }

    private Prepared preparePut(String key, long version, boolean durable) throws IOException {
        var content = content(version);
        var work = Layout.work(new ObjectVersion(1, version));
        var record = record(key, version, content);
        var small = durable && version % 2 == 0
                ? Contents.prepareSmallPut(bucket(key), work, record, content, new IndexBatch())
                : Optional.<Prepared>empty();
        if (small.isPresent()) {
            return small.get();
        }
        try (var file = files.create(work)) {
            file.write(0, ByteBuffer.wrap(content));
            return contents.preparePut(bucket(key), work, file, record, new IndexBatch(), durable);
        }
    }

    private static byte[] content(long version) {
        var content = new byte[(int) (version % 50)];
        new Random(version).nextBytes(content);
        return content;
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
                new ObjectVersion(1, version),
                content.length,
                1,
                2,
                "etag" + version,
                Map.of(),
                new TreeMap<>(),
                metadata,
                List.of(),
                Optional.empty(),
                summer.finish(content.length));
    }

    private void check(long seed) throws IOException {
        long objects = 0;
        for (var key : KEYS) {
            long found = versionOf(key);
            assertThat(allowed.get(key)).as("seed %d, key %s", seed, key).contains(found);
            allowed.put(key, Set.of(found));
            objects += found == 0 ? 0 : 1;
        }
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
                        .filter(key -> !Set.of(0L).equals(allowed.get(key)))
                        .sorted(java.util.Comparator.comparing(
                                key -> IndexKeys.object(bucket(key).id(), key), Arrays::compareUnsigned))
                        .toList());
        assertThat(contents.totals().objects()).as("seed %d, totals", seed).isEqualTo(objects);
        for (var bucket : BUCKETS) {
            assertThat(contents.usages().of(bucket.id()))
                    .as("seed %d, what %s takes", seed, bucket.name())
                    .isEqualTo(sums.getOrDefault(bucket.id(), Usage.NONE));
        }
        assertThat(contents.isCounted()).as("seed %d, totals as stored", seed).isTrue();
    }

    private long versionOf(String key) throws IOException {
        return switch (contents.find(bucket(key), key)) {
            case Found.Absent() -> 0;
            case Found.Damaged _ -> DAMAGED;
            case Found.Present(var record, var file) -> {
                var read = ByteBuffer.allocate((int) record.size());
                file.read(0, read);
                long version = record.version().sequence();
                yield Arrays.equals(read.array(), content(version)) ? version : DAMAGED;
            }
        };
    }
}
