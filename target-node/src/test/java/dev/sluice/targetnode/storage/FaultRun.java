package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.targetnode.storage.FaultTable.Harm;
import dev.sluice.targetnode.storage.FaultTable.Kind;
import dev.sluice.targetnode.storage.FaultTable.Promise;
import dev.sluice.targetnode.storage.FaultTable.Row;
import dev.sluice.targetnode.storage.FaultTable.Seen;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.index.RocksMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One harm to one file of one drive's copy. The store is held to what it acknowledged before, then to what it
/// acknowledges after, also when it is opened again.
final class FaultRun {
    private static final int STARTS_TO_MEND = 3;
    private static final long READY_NANOS = 60_000_000_000L;
    private static final long BLOCK_CACHE = 1 << 20;
    private static final long WRITE_BUFFERS = 16 << 20;
    private static final long PAUSE_NANOS = 2_000_000L;
    private static final FaultyFiles.Instead NOTHING = FaultyFiles.Call::real;
    private static final Set<Kind> READ_BY_SEAM = Set.of(
            Kind.OBJECT, Kind.RECORD, Kind.BOTH, Kind.DETAILS, Kind.WORK, Kind.PART, Kind.PART_RECORD, Kind.UPLOAD);
    private static final Set<Kind> READ_WITHOUT_INDEX = Set.of(Kind.BOTH, Kind.NAME, Kind.PART_RECORD, Kind.UPLOAD);
    private static final Set<Kind> ATTRIBUTES = Set.of(Kind.RECORD, Kind.BOTH, Kind.PART_RECORD);

    /// When the harm is done: between two runs of the store, or while it is open and has or has not read the file.
    enum Moment {
        CLOSED,
        KILLED,
        OPEN,
        HOT;

        FaultDrive.End end() {
            return this == KILLED ? FaultDrive.End.KILLED : FaultDrive.End.CLOSED;
        }

        boolean running() {
            return this == OPEN || this == HOT;
        }
    }

    private final Row row;
    private final Moment moment;
    private final int turn;
    private final int variant;
    private final FaultDrive drive;
    private final FaultDrive foreign;
    private final Path at;
    private final List<RocksMemory> memories = new ArrayList<>();
    private volatile FaultyFiles.Instead fault = NOTHING;

    /// @param turn which of the files of the kind
    /// @param variant of the harm
    /// @param at an empty place for copies
    FaultRun(Row row, Moment moment, int turn, int variant, FaultDrive drive, FaultDrive foreign, Path at) {
        this.row = row;
        this.moment = moment;
        this.turn = turn;
        this.variant = variant;
        this.drive = drive;
        this.foreign = foreign;
        this.at = at;
    }

    static List<Moment> moments(Row row) {
        if (row.seen() == Seen.WRITE) {
            return List.of(Moment.OPEN, Moment.HOT);
        }
        return switch (row.kind()) {
            case OBJECT, RECORD, DETAILS -> List.of(Moment.values());
            case WORK -> List.of(Moment.KILLED);
            case BOTH, NAME, IDENTITY, DRIVES, PART_RECORD, UPLOAD -> List.of(Moment.CLOSED, Moment.KILLED);
            case ENDED -> List.of(Moment.CLOSED);
            case PART, SST, WAL, MANIFEST, CURRENT, SYNCED -> List.of(Moment.CLOSED, Moment.KILLED, Moment.OPEN);
            case STATE -> List.of();
        };
    }

    void run() {
        try {
            var copy = drive.copyTo(at, moment.end());
            var now = drive.acknowledged(moment.end());
            switch (row.seen()) {
                case READ -> seen(copy, now);
                case WRITE -> written(copy, now);
            }
            remove(at);
        } catch (IOException | AssertionError | RuntimeException failure) {
            throw new AssertionError("%s, %s, file %d, variant %d".formatted(row, moment, turn, variant), failure);
        } finally {
            memories.forEach(RocksMemory::close);
        }
    }

    // ---- harm that is read

    private void seen(Path copy, Acknowledged now) throws IOException {
        if (!moment.running()) {
            harm(copy);
            starts(copy, now, 1);
            return;
        }
        try (var store = open(copy)) {
            if (moment == Moment.HOT) {
                assertThat(now.refusals(store)).isEmpty();
            }
            harm(copy);
            judge(now.refusals(store));
            fault = NOTHING;
            write(store, now);
            judge(now.refusals(store));
        }
        starts(copy, now, 2);
    }

    private void harm(Path copy) throws IOException {
        var files = FaultDrive.files(row.kind(), copy);
        assertThat(files).as("files of %s", row).isNotEmpty();
        var file = files.get(turn % files.size());
        if (READ_BY_SEAM.contains(row.kind()) && Set.of(Harm.EIO, Harm.SHORT).contains(row.harm())) {
            fault = unreadable(file, copy.relativize(file).toString());
        } else if (ATTRIBUTES.contains(row.kind())) {
            Harms.harmRecord(row.harm(), file, other(files), variant);
        } else {
            Harms.harm(row.harm(), file, other(files), variant);
        }
        if (READ_WITHOUT_INDEX.contains(row.kind())) {
            remove(copy.resolve(".sluice/index"));
        }
    }

    /// What a file is exchanged with: another of the drive, or the same of another drive.
    private Path other(List<Path> files) throws IOException {
        if (row.harm() == Harm.SWAP && files.size() == 1) {
            return FaultDrive.files(row.kind(), foreign.copyTo(at.resolve("foreign"), moment.end()))
                    .getFirst();
        }
        return files.get((turn + 1) % files.size());
    }

    /// Reads of the file, or of its record, fail or give less than there is.
    private FaultyFiles.Instead unreadable(Path file, String path) {
        var spoiled =
                Set.of(Kind.RECORD, Kind.BOTH, Kind.PART_RECORD, Kind.WORK).contains(row.kind()) ? "attribute" : "read";
        return call -> {
            if (!call.path().equals(path) || !call.name().equals(spoiled)) {
                return call.real();
            }
            if (row.harm() == Harm.EIO) {
                throw new IOException(file + ": Input/output error");
            }
            return spoiled.equals("attribute") ? half(call.real()) : readHalf(call);
        };
    }

    private static @Nullable Object half(@Nullable Object record) {
        return record instanceof Optional<?> some && some.orElseThrow() instanceof byte[] bytes
                ? Optional.of(Arrays.copyOf(bytes, bytes.length / 2))
                : record;
    }

    private static @Nullable Object readHalf(FaultyFiles.Call call) throws Throwable {
        var into = (ByteBuffer) call.argument(1);
        var window = into.slice(into.position(), into.remaining() / 2);
        var result = call.real(call.argument(0), window);
        into.position(into.position() + window.position());
        return result;
    }

    /// Starts the store until it must have mended what can be mended, and holds it to everything each time.
    private void starts(Path copy, Acknowledged now, int first) throws IOException {
        for (int start = first; start <= STARTS_TO_MEND; start++) {
            Map<String, String> refused = Map.of("everything", "no start");
            try (var store = open(copy)) {
                refused = now.refusals(store);
                if (row.harm() == Harm.EIO
                        && state(store) == DriveState.OFFLINE) { // as long as what a start needs cannot be read
                    fault = NOTHING;
                    store.mountpaths().enable(copy.toString());
                    eventually(() -> state(store) == DriveState.ONLINE, () -> "drives are " + store.stats());
                    refused = now.refusals(store);
                }
                judge(refused);
                fault = NOTHING;
                write(store, now);
                judge(now.refusals(store));
            } catch (IOException | RuntimeException refusal) {
                refused = Map.of("everything", refusal.toString());
                requireClear(refusal, copy);
                fault = NOTHING;
                if (row.promise() == Promise.START) {
                    putBack(copy);
                }
            }
            if (start == STARTS_TO_MEND && row.promise() != Promise.KEY) {
                assertThat(refused).as("mended after %d starts", start).isEmpty();
            }
        }
    }

    private static DriveState state(ObjectStore store) {
        return store.stats().getFirst().status().state();
    }

    private void judge(Map<String, String> refused) {
        switch (row.promise()) {
            case KEY ->
                assertThat(refused).as("one harmed file").hasSizeLessThanOrEqualTo(row.harm() == Harm.SWAP ? 2 : 1);
            case START -> assertThat(refused).isEmpty();
            case ALL -> {}
            case OLD, COPY -> throw new IllegalStateException(row.toString());
        }
    }

    private void requireClear(Exception refusal, Path copy) {
        if (row.promise() == Promise.KEY && row.harm() != Harm.EIO) {
            throw new AssertionError("the store does not start", refusal);
        }
        assertThat(refusal.getMessage())
                .as("why it does not start")
                .contains(copy.toString())
                .doesNotContain("\n");
    }

    private void putBack(Path copy) throws IOException {
        var harmed = FaultDrive.files(row.kind(), copy).getFirst();
        remove(harmed);
        var good = drive.copyTo(at.resolve("good"), FaultDrive.End.CLOSED);
        Files.copy(FaultDrive.files(row.kind(), good).getFirst(), harmed);
    }

    /// New objects, old ones again, a deletion, and the end of the upload.
    private void write(ObjectStore store, Acknowledged now) {
        now.put(store, "after", random(1, 1234));
        now.put(store, "after/big", random(2, 123_456));
        now.put(store, "big", random(3, 70_000));
        now.put(store, "replaced", random(4, 77));
        now.delete(store, "new-small");
        if (variant % 2 == 0) {
            drive.complete(store, now, READ_WITHOUT_INDEX.contains(row.kind()));
        }
    }

    // ---- harm that is done while writing

    /// Writes while the drive spoils them. The victims may be refused then and later, nothing else may.
    private void written(Path copy, Acknowledged now) throws IOException {
        if (row.kind() == Kind.IDENTITY) {
            identityWritten(at.resolve("new"));
            return;
        }
        var victims = Set.of("big", "small", "long", "long-too", "dir/nested", "another-upload");
        try (var store = open(copy)) {
            fault = spoiling(copy);
            now.put(store, "big", random(11, 300_000));
            now.put(store, "small", random(12, 1111));
            drive.putLong(store, now, "long", random(13, 2000));
            drive.putLong(store, now, "long-too", random(14, 100_000));
            upload(store, now);
            judgeRunning(store, now, victims);
            fault = NOTHING;
            judgeRunning(store, now, victims);
            write(store, now);
        }
        try (var store = open(copy)) {
            assertThat(now.refusals(store).keySet()).isSubsetOf(victims);
            now.put(store, "small", random(15, 1111));
            now.put(store, "big", random(16, 111_111));
            assertThat(now.refusals(store).keySet()).doesNotContain("small", "big");
        }
    }

    /// A drive whose sync failed is out, and then everything on it is refused until it is opened again.
    private static void judgeRunning(ObjectStore store, Acknowledged now, Set<String> victims) throws IOException {
        var refused = now.refusals(store).keySet();
        if (state(store) == DriveState.ONLINE) {
            assertThat(refused).isSubsetOf(victims);
        }
    }

    private void upload(ObjectStore store, Acknowledged now) {
        var content = random(17, 400_000);
        now.change("another-upload", Optional.of(content), () -> {
            var upload = FaultDrive.begin(store, "another-upload");
            var part = FaultDrive.part(store, upload, 1, content, variant % 2 == 0 ? content.length : -1);
            return Optional.of(FaultDrive.complete(store, upload, List.of(part)));
        });
    }

    private FaultyFiles.Instead spoiling(Path copy) {
        var folder = switch (row.kind()) {
            case WORK -> ".sluice/work/";
            case DETAILS -> ".sluice/aux/";
            case PART, PART_RECORD, UPLOAD -> ".sluice/uploads/";
            case RECORD, BOTH, NAME, OBJECT, IDENTITY, DRIVES, ENDED, SST, WAL, MANIFEST, CURRENT, SYNCED, STATE -> "";
        };
        var file = row.kind() == Kind.UPLOAD ? "/upload" : "";
        boolean attribute = ATTRIBUTES.contains(row.kind());
        var write = attribute ? "setAttribute" : "write";
        return call -> {
            if (!call.path().startsWith(folder) || !call.path().endsWith(file)) {
                return call.real();
            }
            if (call.name().equals("sync") && !attribute) {
                return spoiledSync(copy, call);
            }
            return call.name().equals(write) ? spoiledWrite(copy, call) : call.real();
        };
    }

    private @Nullable Object spoiledSync(Path copy, FaultyFiles.Call call) throws Throwable {
        if (row.harm() == Harm.EIO && variant % 2 == 1) {
            throw new IOException("Input/output error");
        }
        var result = call.real();
        if (row.harm() == Harm.DELETE) {
            Files.delete(copy.resolve(call.path()));
        }
        return result;
    }

    private @Nullable Object spoiledWrite(Path copy, FaultyFiles.Call call) throws Throwable {
        boolean record = ATTRIBUTES.contains(row.kind());
        return switch (row.harm()) {
            case FLIP, ZERO, CUT ->
                call.real(
                        call.argument(0),
                        record
                                ? Harms.spoiled(row.harm(), (byte[]) call.argument(1), variant)
                                : ByteBuffer.wrap(Harms.spoiled(row.harm(), taken(call), variant)));
            case SWAP -> misdirected(copy, record, call);
            case DELETE -> record ? null : call.real();
            case EIO -> {
                if (!record && variant % 2 == 1) {
                    yield call.real(); // its sync fails
                }
                throw new IOException("Input/output error");
            }
            case ENOSPC -> throw new DriveFullException("No space left on device", new IOException());
            case SHORT -> {
                var bytes = taken(call);
                call.real(call.argument(0), ByteBuffer.wrap(bytes, 0, bytes.length / 2));
                throw variant % 2 == 0
                        ? new DriveFullException("No space left on device", new IOException())
                        : new IOException("Input/output error");
            }
        };
    }

    private static byte[] taken(FaultyFiles.Call call) {
        var from = (ByteBuffer) call.argument(1);
        var bytes = new byte[from.remaining()];
        from.get(bytes);
        return bytes;
    }

    /// The write goes to another object's file.
    private static @Nullable Object misdirected(Path copy, boolean record, FaultyFiles.Call call) throws Throwable {
        var other = "objects/shards/dir/nested";
        if (record) {
            return call.real(other, call.argument(1));
        }
        Files.write(copy.resolve(other), taken(call));
        return null;
    }

    private void identityWritten(Path fresh) throws IOException {
        Files.createDirectories(fresh.resolve(".sluice/drive.json.new/not-empty"));
        assertThatThrownBy(() -> open(fresh)).message().contains("drive.json").doesNotContain("\n");
        remove(fresh.resolve(".sluice/drive.json.new"));
        var now = new Acknowledged();
        try (var store = open(fresh)) {
            assertThat(now.put(store, "k", random(1, 10))).isTrue();
        }
        try (var store = open(fresh)) {
            assertThat(now.refusals(store)).isEmpty();
        }
    }

    /// With memory of its own: RocksDB takes a block of a copied table from any memory that has the original's.
    private ObjectStore open(Path copy) throws IOException {
        var memory = new RocksMemory(BLOCK_CACHE, WRITE_BUFFERS);
        memories.add(memory);
        var store = ObjectStore.open(config(List.of(copy), memory), FaultyFiles.instead(call -> fault.call(call)));
        long deadline = System.nanoTime() + READY_NANOS;
        while (!store.ready() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return store;
    }

    static void remove(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (var all = Files.walk(tree)) {
            for (var each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
