package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A drive's index is lost or damaged and rebuilt from the files: what was begun and not ended goes on.
class UploadsWithoutIndexTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private List<Path> paths = List.of();

    @BeforeEach
    void makeDrive() throws IOException {
        paths = drives(folder, 1);
    }

    /// Waits until the index is there again.
    private static ObjectStore open(List<Path> paths) throws IOException {
        var store = StoreFixture.open(paths);
        eventually(store::ready, () -> "drives are not ready");
        return store;
    }

    private Path system() {
        return paths.getFirst().resolve(".sluice");
    }

    private Path file(UploadState upload, String name) {
        return system().resolve("uploads").resolve(upload.uploadId()).resolve(name);
    }

    private void removeIndex() throws IOException {
        FaultRun.remove(system().resolve("index"));
    }

    private static UploadState begin(ObjectStore store, String key) {
        return store.multipart()
                .create(
                        BUCKET,
                        key,
                        new TreeMap<>(Map.of("Content-Type", "x/y")),
                        new TreeMap<>(Map.of("epoch", "7")),
                        Optional.of("CRC32"),
                        true);
    }

    private static Part part(ObjectStore store, UploadState upload, int number, byte[] content) {
        return part(store, upload, number, content, content.length);
    }

    private static Part part(ObjectStore store, UploadState upload, int number, byte[] content, long announced) {
        try (var part =
                store.multipart().part(BUCKET, upload.key(), upload.uploadId(), number, announced, Durability.FSYNC)) {
            part.write(ByteBuffer.wrap(content));
            return part.commit(
                    "etag-%d-%d".formatted(number, content[0]), Map.of(ChecksumAlgorithm.CRC32, "of" + number));
        }
    }

    private static List<Part> parts(ObjectStore store, UploadState upload) {
        return store.multipart().listParts(BUCKET, upload.key(), upload.uploadId(), 0, 100);
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (var part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] changed(byte[] content) {
        var other = content.clone();
        other[content.length / 2] ^= 1;
        return other;
    }

    @Test
    void everyPartIsThereAgainWhereverItLies() throws Exception {
        var big = new byte[][] {random(1, 5 * MIB), random(2, 5 * MIB), random(3, 5 * MIB), random(4, 77)};
        var again = new byte[][] {random(5, 5 * MIB), random(6, 6 * MIB + 1), random(7, 99)};
        UploadState equal;
        UploadState mixed;
        var equalParts = new ArrayList<Part>();
        var mixedParts = new ArrayList<Part>();
        try (var store = open(paths)) {
            put(store, "k", random(9, 1000));
            equal = begin(store, "equal");
            for (int number : new int[] {2, 4, 1, 3}) {
                equalParts.add(part(store, equal, number, big[number - 1]));
            }
            equalParts.sort(java.util.Comparator.comparingInt(Part::number));
            assertThat(equalParts).allMatch(Part::isInPlace);
            mixed = begin(store, "mixed//escaped"); // sent twice, in place first; of another size; of unknown size
            part(store, mixed, 1, big[0]);
            part(store, mixed, 2, big[1]);
            mixedParts.add(part(store, mixed, 1, again[0]));
            part(store, mixed, 2, changed(again[1]));
            mixedParts.add(part(store, mixed, 2, again[1]));
            mixedParts.add(part(store, mixed, 7, again[2], -1));
            assertThat(mixedParts).noneMatch(Part::isInPlace);
        }
        removeIndex();
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(random(9, 1000));
            assertThat(store.isEmpty(BUCKET.id())).isFalse();
            assertThat(store.multipart().listUploads(BUCKET, "", "", "", 10).uploads())
                    .containsExactly(equal, mixed);
            assertThat(parts(store, equal)).isEqualTo(equalParts);
            assertThat(parts(store, mixed)).isEqualTo(mixedParts);
            FaultDrive.complete(store, equal, equalParts);
            var record = FaultDrive.complete(store, mixed, mixedParts);
            assertThat(record.headers()).containsEntry("Content-Type", "x/y");
            assertThat(record.userMetadata()).containsEntry("epoch", "7");
            assertThat(get(store, "equal")).isEqualTo(joined(big));
            assertThat(get(store, mixed.key())).isEqualTo(joined(again));
        }
    }

    @Test
    void anUploadGoesOnAfterEachOfManyLosses() throws Exception {
        var contents = new byte[][] {random(1, 5 * MIB), random(2, 5 * MIB), random(3, 1234)};
        UploadState upload;
        try (var store = open(paths)) {
            upload = begin(store, "k");
        }
        for (int round = 0; round < 3; round++) {
            damageIndex(round);
            try (var store = open(paths)) {
                assertThat(parts(store, upload)).hasSize(round);
                part(store, upload, round + 1, changed(contents[round])); // in place, then replaced
                part(store, upload, round + 1, contents[round]);
            }
        }
        damageIndex(0);
        try (var store = open(paths)) {
            // part 1 has its place again, for who counts there now lies apart
            var parts = new ArrayList<>(parts(store, upload));
            parts.set(0, part(store, upload, 1, contents[0]));
            FaultDrive.complete(store, upload, parts);
        }
        removeIndex();
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(joined(contents));
            assertThat(store.multipart().listUploads(BUCKET, "", "", "", 10).uploads())
                    .isEmpty();
        }
    }

    private void damageIndex(int how) throws IOException {
        switch (how) {
            case 0 -> removeIndex();
            case 1 -> Files.writeString(system().resolve("index/CURRENT"), "MANIFEST-999999\n");
            default -> {
                for (var file : FaultDrive.files(FaultTable.Kind.WAL, paths.getFirst())) {
                    Files.write(file, new byte[0]); // what was synced is gone
                }
            }
        }
    }

    @Test
    void whatIsNotProvenIsLeftOutAndMayBeSentAgain() throws Exception {
        var contents = new byte[][] {random(1, 5 * MIB), random(2, 5 * MIB), random(3, 5 * MIB), random(4, 5 * MIB)};
        var apart = random(5, 100);
        UploadState upload;
        Part five;
        try (var store = open(paths)) {
            upload = begin(store, "k");
            for (int number = 1; number <= 4; number++) {
                part(store, upload, number, contents[number - 1]);
            }
            five = part(store, upload, 5, apart, -1);
        }
        var shared = Files.readAllBytes(file(upload, Part.SHARED));
        shared[MIB] ^= 1; // a bit of part 1
        Files.write(file(upload, Part.SHARED), shared);
        Harms.harmRecord(FaultTable.Harm.FLIP, file(upload, "place-2"), file(upload, "place-2"), 0);
        Harms.harmRecord(FaultTable.Harm.SWAP, file(upload, "place-3"), file(upload, five.recordFile()), 0);
        removeIndex();
        try (var store = open(paths)) {
            assertThat(parts(store, upload)).extracting(Part::number).containsExactly(4);
            var parts = new ArrayList<Part>();
            for (int number = 1; number <= 3; number++) {
                parts.add(part(store, upload, number, contents[number - 1]));
            }
            parts.addAll(parts(store, upload).subList(3, 4));
            parts.add(part(store, upload, 5, apart));
            FaultDrive.complete(store, upload, parts);
            assertThat(get(store, "k")).isEqualTo(joined(joined(contents), apart));
        }
    }

    /// The client was told that the second one counts. The first must not be taken for it when the second is
    /// bad, though its file may be there still.
    @Test
    void aReplacedPartDoesNotComeBack() throws Exception {
        UploadState upload;
        Part first;
        Part second;
        try (var store = open(paths)) {
            upload = begin(store, "k");
            first = part(store, upload, 1, random(1, 100), -1);
            Files.createDirectories(folder.resolve("kept"));
            FaultDrive.copy(file(upload, first.file()), folder.resolve("kept/first"));
            second = part(store, upload, 1, random(2, 100), -1);
            assertThat(file(upload, first.file())).doesNotExist();
        }
        FaultDrive.copy(folder.resolve("kept/first"), file(upload, first.file()));
        removeIndex();
        try (var store = open(paths)) {
            assertThat(parts(store, upload)).containsExactly(second);
        }
        Harms.harmRecord(FaultTable.Harm.FLIP, file(upload, second.file()), file(upload, second.file()), 0);
        removeIndex();
        try (var store = open(paths)) {
            assertThat(parts(store, upload)).isEmpty();
        }
    }

    @Test
    void anUploadWithoutRecordIsPutAsideAndStays() throws Exception {
        UploadState upload;
        try (var store = open(paths)) {
            upload = begin(store, "k");
            part(store, upload, 1, random(1, 5 * MIB));
        }
        Harms.harm(FaultTable.Harm.FLIP, file(upload, UploadState.FILE), file(upload, UploadState.FILE), 0);
        removeIndex();
        for (int start = 0; start < 3; start++) {
            try (var store = open(paths)) {
                assertThat(store.multipart().listUploads(BUCKET, "", "", "", 10).uploads())
                        .isEmpty();
            }
            assertThat(system().resolve("uploads/" + upload.uploadId() + ".unreadable/" + Part.SHARED))
                    .hasBinaryContent(random(1, 5 * MIB));
            if (start == 1) {
                removeIndex();
            }
        }
    }

    @Test
    void whatHasEndedDoesNotComeBack() throws Exception {
        try (var store = open(paths)) {
            var aborted = begin(store, "aborted");
            part(store, aborted, 1, random(1, 100));
            store.multipart().abort(BUCKET, aborted.key(), aborted.uploadId());
            var done = begin(store, "done");
            FaultDrive.complete(store, done, List.of(part(store, done, 1, random(2, 100))));
            var dropped = begin(store, "dropped");
            part(store, dropped, 1, random(3, 100));
            store.dropBucket(BUCKET);
        }
        removeIndex();
        try (var store = open(paths)) {
            assertThat(store.isEmpty(BUCKET.id())).isTrue();
        }
    }

    /// The object has its bytes and its record, and the intent that says so goes with the index.
    @Test
    void aCompletedUploadThatIsNotInItsPlaceYetBecomesTheObject() throws Exception {
        var content = random(1, 6 * MIB);
        var copy = new AtomicBoolean();
        FaultyFiles.Fault copyAtRename = (call, path) -> {
            if (copy.get() && call.equals("rename") && path.endsWith("/" + Part.SHARED)) {
                copy.set(false);
                FaultDrive.copy(paths.getFirst(), folder.resolve("at-rename/d1"));
            }
        };
        UploadState upload;
        List<Part> parts;
        try (var store = ObjectStore.open(StoreFixture.config(paths), FaultyFiles.with(copyAtRename))) {
            put(store, "k", random(2, 10));
            upload = begin(store, "k");
            parts = List.of(part(store, upload, 1, content));
            copy.set(true);
            FaultDrive.complete(store, upload, parts);
            assertThat(copy).isFalse();
        }
        paths = List.of(folder.resolve("at-rename/d1"));
        removeIndex();
        FaultDrive.copy(paths.getFirst(), folder.resolve("spoiled/d1"));
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(content);
            assertThatThrownBy(() -> parts(store, upload)).isInstanceOf(StoreException.NoSuchUpload.class);
        }
        removeIndex();
        try (var store = open(paths)) {
            assertThat(get(store, "k")).isEqualTo(content);
        }
        paths = List.of(folder.resolve("spoiled/d1"));
        Files.write(file(upload, Part.SHARED), changed(content));
        try (var store = open(paths)) {
            assertThat(get(store, "k"))
                    .as("bytes that are wrong replace nothing")
                    .isEqualTo(random(2, 10));
            assertThat(parts(store, upload)).isEmpty();
        }
    }
}
