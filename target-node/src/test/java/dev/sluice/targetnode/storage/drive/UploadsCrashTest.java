package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
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

/// Multipart uploads, broken off by a crash or a failing call somewhere, also in the repair after it, and with or
/// without the loss of the index. A part that was acknowledged is there with its bytes; one that was in flight is
/// there or not; one that was replaced never is. A seed that fails replays: its number is in the message.
class UploadsCrashTest {
    private static final List<Faults.Kind> KINDS = List.of(Faults.Kind.values());
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final int UNIT = 40;
    private static final int NUMBERS = 4;
    private static final long NONE = 0;

    /// What may be found of an upload.
    private static final class Expected {
        final UploadState state;
        boolean mayBeGone = true;
        boolean mayBeThere = true;
        boolean endTried;
        boolean completed;
        final Set<Optional<UploadState.Completing>> marks = new HashSet<>(Set.of(Optional.empty()));

        /// By number: the versions that may count, [#NONE] for no part.
        final Map<Integer, Set<Long>> parts = new TreeMap<>();

        /// By number: attempts of unknown outcome since the last acknowledgement. Their files may be there
        /// still, and are looked at again when the index is lost.
        final Map<Integer, Set<Long>> tried = new TreeMap<>();

        /// The versions that make the object, when a Complete was tried.
        Optional<List<Long>> object = Optional.empty();

        Expected(UploadState state) {
            this.state = state;
        }

        Set<Long> may(int number) {
            return parts.computeIfAbsent(number, _ -> new HashSet<>(Set.of(NONE)));
        }
    }

    private final List<Expected> uploads = new ArrayList<>();
    private Random random = new Random();
    private Faults faults = new Faults();
    private SimulatedFiles files = new SimulatedFiles(faults);
    private MemoryIndex index = new MemoryIndex(faults);
    private Contents contents = new Contents(files, index);
    private long sequence;

    @Test
    void whatWasAcknowledgedIsThereAfterAnyCrashWithOrWithoutTheIndex() throws Exception {
        Seeds.each(this::run);
    }

    private void run(long seed) throws IOException {
        random = new Random(seed);
        faults = new Faults();
        files = new SimulatedFiles(faults);
        index = new MemoryIndex(faults);
        uploads.clear();
        sequence = 0;
        start();
        nameBucket();
        for (int round = 0; round < 4; round++) {
            faults.arm(KINDS.get(random.nextInt(KINDS.size())), random.nextInt(200));
            changeUntilStopped();
            faults.arm(Faults.Kind.NONE, 0);
            restart();
            check("seed " + seed + ", round " + round);
        }
    }

    /// An object that tells the bucket's name, which no record does.
    private void nameBucket() throws IOException {
        var summer = new BlockSummer();
        var version = new ObjectVersion(1, ++sequence);
        var state = new UploadState(
                BUCKET, "name", "", 1, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false, 0, Optional.empty());
        try (var file = files.create(Layout.work(version))) {
            var empty = new Assembly.Result(Layout.work(version), file, 0, summer.finish(0));
            var record = record(state, version, empty);
            commit(new DriveStore(contents).preparePut(BUCKET, empty.path(), file, record, new IndexBatch(), true));
        }
        contents.settle();
    }

    private void start() throws IOException {
        contents = new Contents(files, index);
        if (!new DriveStart(contents).isIndexed()) {
            new DriveStart(contents).rebuild();
        }
        new DriveStart(contents).recover();
    }

    /// The index is lost as it is when a start puts it aside: what was written by then is synced first.
    private void restart() throws IOException {
        boolean powerLost = false;
        for (int attempt = 0; ; attempt++) {
            faults.arm(Faults.Kind.NONE, 0);
            if (random.nextBoolean()) {
                powerLost = true;
                files.crash(random);
                index.crash(random);
            }
            if (random.nextInt(3) == 0) {
                files.syncAll();
                index = new MemoryIndex(faults);
                for (var upload : uploads) {
                    upload.mayBeThere |=
                            powerLost; // now or in an attempt before: its end may not have been on the drive
                    upload.tried.forEach((number, versions) -> {
                        upload.may(number).addAll(versions);
                        upload.may(number).add(NONE);
                    });
                }
            }
            faults.arm(attempt < 2 ? Faults.Kind.CRASH : Faults.Kind.NONE, random.nextInt(100));
            try {
                start();
                faults.arm(Faults.Kind.NONE, 0);
                return;
            } catch (SimulatedCrash _) {
                // once more
            }
        }
    }

    private void changeUntilStopped() {
        try {
            for (int i = 0; i < 15; i++) {
                var live = uploads.stream()
                        .filter(upload -> upload.mayBeThere && !upload.mayBeGone)
                        .toList();
                if (live.isEmpty() || random.nextInt(8) == 0) {
                    begin();
                    continue;
                }
                var upload = live.get(random.nextInt(live.size()));
                switch (random.nextInt(11)) {
                    case 10 -> mark(upload);
                    case 0 -> abort(upload);
                    case 1 -> complete(upload);
                    case 2 -> contents.settle();
                    default -> part(upload, 1 + random.nextInt(NUMBERS));
                }
            }
        } catch (SimulatedCrash | IOException _) {
            // after an error in a commit a drive takes no more either
        }
    }

    private void commit(Prepared change) throws IOException {
        var refused = Insides.commit(contents, List.of(change)).getFirst();
        if (refused.isPresent()) {
            throw refused.get();
        }
    }

    private void begin() throws IOException {
        var state = new UploadState(
                BUCKET,
                "key" + ++sequence,
                "%032d".formatted(sequence),
                1,
                new TreeMap<>(),
                new TreeMap<>(Map.of("note", "n".repeat(random.nextInt(200)))),
                Optional.empty(),
                false,
                0,
                Optional.empty());
        var upload = new Expected(state);
        uploads.add(upload);
        commit(new DriveUploads(contents).prepare(state));
        upload.mayBeGone = false;
    }

    private void mark(Expected upload) throws IOException {
        var mark = random.nextInt(3) == 0
                ? Optional.<UploadState.Completing>empty()
                : Optional.of(new UploadState.Completing(Optional.of("version" + ++sequence)));
        upload.marks.add(mark);
        commit(new DriveUploads(contents).rewrite(upload.state.with(mark)));
        upload.marks.clear();
        upload.marks.add(mark);
    }

    /// As a client's part goes: to its place in the shared file when that is free, else to a file of its own.
    private void part(Expected upload, int number) throws IOException {
        var ours = new DriveUploads(contents);
        var id = upload.state.uploadId();
        long version = ++sequence;
        var content = content(version);
        var before = ours.part(id, number);
        boolean inPlace = random.nextBoolean() && !before.map(Part::isInPlace).orElse(false);
        var name = inPlace ? Part.SHARED : Part.apart(number, new ObjectVersion(1, version));
        long offset = inPlace ? (long) (number - 1) * UNIT : 0;
        upload.may(number).add(version);
        upload.tried.computeIfAbsent(number, _ -> new HashSet<>()).add(version);
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        var part = new Part(number, UNIT, "etag" + version, Map.of(), 1, name, offset, summer.finish(UNIT));
        try (var file = opened(Layout.upload(id) + "/" + name)) {
            file.write(offset, ByteBuffer.wrap(content, 0, UNIT / 2));
            file.write(offset + UNIT / 2, ByteBuffer.wrap(content, UNIT / 2, UNIT / 2));
            commit(ours.preparePart(upload.state, part, new ObjectVersion(1, version), file, true));
        }
        upload.parts.put(number, new HashSet<>(Set.of(version)));
        upload.tried.remove(number);
        if (before.isPresent() && !before.get().recordFile().equals(part.recordFile())) {
            ours.forget(upload.state, before.get().recordFile());
        }
    }

    private DriveFile opened(String path) throws IOException {
        try {
            return files.edit(path);
        } catch (NoSuchFileException _) {
            return files.create(path);
        }
    }

    private void abort(Expected upload) throws IOException {
        upload.mayBeGone = true;
        upload.endTried = true;
        commit(DriveUploads.ending(upload.state));
        contents.throwAwayUpload(upload.state.uploadId());
        upload.mayBeThere = false;
    }

    private void complete(Expected upload) throws IOException {
        var ours = new DriveUploads(contents);
        var id = upload.state.uploadId();
        var parts = ours.parts(id, 0, NUMBERS);
        if (parts.isEmpty()) {
            return;
        }
        upload.mayBeGone = true;
        upload.endTried = true;
        upload.object = Optional.of(parts.stream()
                .map(part -> Long.valueOf(part.etag().substring(4)))
                .toList());
        var spare = Layout.work(new ObjectVersion(1, ++sequence));
        var whole = new Assembly(files, id, parts).run(parts, true, spare);
        try (var file = whole.file()) {
            var record = record(upload.state, new ObjectVersion(1, ++sequence), whole);
            commit(new DriveStore(contents)
                    .preparePut(BUCKET, whole.path(), file, record, DriveUploads.ended(upload.state, record), true));
        }
        contents.throwAwayUpload(id);
        upload.mayBeThere = false;
        upload.completed = true;
    }

    private static ObjectRecord record(UploadState state, ObjectVersion version, Assembly.Result whole) {
        return new ObjectRecord(
                BUCKET.id(),
                state.key(),
                version,
                whole.size(),
                1,
                2,
                "etag",
                Map.of(),
                state.headers(),
                state.userMetadata(),
                Optional.empty(),
                Optional.empty(),
                whole.blocks(),
                Optional.empty(),
                BlockSums.of());
    }

    private static byte[] content(long version) {
        return Bytes.random(version, UNIT);
    }

    private void check(String when) throws IOException {
        var ours = new DriveUploads(contents);
        var found = new HashSet<String>();
        var marks = new HashMap<String, Optional<UploadState.Completing>>();
        index.scan(Table.UPLOADS, new byte[0], (_, value) -> {
            var upload = UploadState.decode(value);
            marks.put(upload.uploadId(), upload.completing());
            return found.add(upload.uploadId());
        });
        for (var upload : List.copyOf(uploads)) {
            var as = when + ", " + upload.state.uploadId();
            if (found.contains(upload.state.uploadId())) {
                assertThat(upload.mayBeThere).as("%s has ended", as).isTrue();
                upload.mayBeGone = false;
                assertThat(upload.marks).as("%s, its mark", as).contains(marks.get(upload.state.uploadId()));
                for (int number = 1; number <= NUMBERS; number++) {
                    checkPart(as, upload, number, ours.part(upload.state.uploadId(), number));
                }
                if (upload.endTried) {
                    uploads.remove(upload); // some of it may have gone already
                }
            } else {
                assertThat(upload.mayBeGone).as("%s is gone", as).isTrue();
                checkObject(as, upload);
                uploads.remove(upload);
            }
        }
        FolderWalk.each(
                files,
                Layout.UPLOADS,
                name -> assertThat(name.endsWith(".unreadable/") || found.contains(name.replace("/", "")))
                        .as("%s, %s", when, name)
                        .isTrue());
    }

    private void checkPart(String as, Expected upload, int number, Optional<Part> part) throws IOException {
        long version =
                part.map(each -> Long.parseLong(each.etag().substring(4))).orElse(NONE);
        if (!upload.endTried) {
            assertThat(upload.may(number)).as("%s, part %d", as, number).contains(version);
        }
        if (part.isPresent()) {
            var bytes = ByteBuffer.allocate(UNIT);
            var path = Layout.upload(upload.state.uploadId()) + "/" + part.get().file();
            try (var file = files.open(path)) {
                file.read(part.get().offset(), bytes);
            }
            assertThat(bytes.array()).as("%s, part %d", as, number).isEqualTo(content(version));
        }
        upload.parts.put(number, new HashSet<>(Set.of(version)));
    }

    /// One that was completed for certain is the object; one that was aborted never is.
    private void checkObject(String as, Expected upload) throws IOException {
        switch (new DriveStore(contents).find(BUCKET, upload.state.key())) {
            case Found.Absent() ->
                assertThat(upload.completed).as("%s, the object is gone", as).isFalse();
            case Found.Damaged(var why) -> throw new AssertionError(as + ": " + why);
            case Found.Present(var record, var file) -> {
                var bytes = ByteBuffer.allocate((int) record.size());
                file.read(0, bytes);
                var wanted = ByteBuffer.allocate((int) record.size());
                upload.object.orElseThrow().forEach(version -> wanted.put(content(version)));
                assertThat(Arrays.equals(bytes.array(), wanted.array())).as(as).isTrue();
            }
        }
    }
}
