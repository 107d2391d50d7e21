package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MultipartTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private static UploadState begin(ObjectStore store, String key) {
        return store.multipart()
                .create(
                        BUCKET,
                        key,
                        new TreeMap<>(Map.of("Content-Type", "x/y")),
                        new TreeMap<>(),
                        Optional.empty(),
                        false);
    }

    private static Part part(ObjectStore store, UploadState upload, int number, byte[] content) throws Exception {
        try (var part = store.multipart()
                .part(BUCKET, upload.key(), upload.uploadId(), number, content.length, Durability.FSYNC)) {
            for (int at = 0; at < content.length; at += 300_000) {
                part.write(ByteBuffer.wrap(content, at, Math.min(300_000, content.length - at)));
            }
            return part.commit(md5(content), Map.of());
        }
    }

    private static String md5(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
    }

    private static ObjectRecord complete(ObjectStore store, UploadState upload, List<Part> parts) {
        return complete(store, upload, parts, WriteCheck.NONE);
    }

    private static ObjectRecord complete(ObjectStore store, UploadState upload, List<Part> parts, WriteCheck check) {
        return store.multipart()
                .complete(
                        BUCKET,
                        upload.key(),
                        upload.uploadId(),
                        parts.stream()
                                .map(part -> new CompletedPart(part.number(), part.etag(), Map.of()))
                                .toList(),
                        Map.of(),
                        check,
                        Durability.FSYNC,
                        Supplier::get);
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private void requireNothingLeft() throws IOException {
        for (var name : List.of("uploads", "work")) {
            try (var left = Files.walk(folder.resolve("d1/.sluice").resolve(name))) {
                assertThat(left.filter(Files::isRegularFile)).isEmpty();
            }
        }
    }

    /// A Complete that its condition refuses does nothing to the parts, nor to one that is being written.
    @Test
    void partThatIsBeingWrittenStaysWhenAConditionRefusesACompleteOfOthers() throws Exception {
        var contents = List.of(random(1, 5 * MIB), random(2, 5 * MIB), random(3, 5 * MIB));
        try (var store = open(drives(folder, 1))) {
            var upload = begin(store, "key");
            var parts = new ArrayList<Part>();
            parts.add(part(store, upload, 1, contents.get(0)));
            parts.add(part(store, upload, 2, contents.get(1)));
            try (var third = store.multipart().part(BUCKET, "key", upload.uploadId(), 3, 5 * MIB, Durability.FSYNC)) {
                third.write(ByteBuffer.wrap(contents.get(2), 0, MIB));
                WriteCheck refusing = _ -> {
                    throw new StoreException.InvalidArgument("not now");
                };
                assertThatThrownBy(() -> complete(store, upload, parts, refusing))
                        .hasMessage("not now");
                third.write(ByteBuffer.wrap(contents.get(2), MIB, 4 * MIB));
                parts.add(third.commit(md5(contents.get(2)), Map.of()));
            }
            complete(store, upload, parts);
            assertThat(get(store, "key")).isEqualTo(joined(contents.get(0), contents.get(1), contents.get(2)));
        }
    }

    /// What is acknowledged does not change: neither by a part that was begun before, nor by one that comes later.
    @Test
    void partThatIsBeingWrittenIsNotWrittenIntoTheObject() throws Exception {
        var contents = List.of(random(1, 5 * MIB), random(2, 5 * MIB), random(3, 5 * MIB));
        try (var store = open(drives(folder, 1))) {
            var upload = begin(store, "key");
            var parts = List.of(part(store, upload, 1, contents.get(0)), part(store, upload, 2, contents.get(1)));
            try (var third = store.multipart().part(BUCKET, "key", upload.uploadId(), 3, 5 * MIB, Durability.FSYNC)) {
                third.write(ByteBuffer.wrap(contents.get(2), 0, MIB));
                complete(store, upload, parts);
                third.write(ByteBuffer.wrap(contents.get(2), MIB, 4 * MIB));
                assertThatThrownBy(() -> third.commit(md5(contents.get(2)), Map.of()))
                        .isInstanceOf(StoreException.NoSuchUpload.class);
            }
            assertThat(get(store, "key")).isEqualTo(joined(contents.get(0), contents.get(1)));
        }
    }

    /// A Complete that is refused must not forget which places are being written: two writers of one place would leave
    /// a part that is neither's.
    @Test
    void partThatIsBeingWrittenKeepsItsPlaceWhenACompleteIsRefused() throws Exception {
        var slow = random(1, 5 * MIB);
        var again = random(2, 5 * MIB);
        try (var store = open(drives(folder, 1))) {
            var upload = begin(store, "key");
            Part second;
            try (var first =
                    store.multipart().part(BUCKET, "key", upload.uploadId(), 1, slow.length, Durability.FSYNC)) {
                first.write(ByteBuffer.wrap(slow, 0, MIB));
                assertThatThrownBy(() -> store.multipart()
                                .complete(
                                        BUCKET,
                                        "key",
                                        upload.uploadId(),
                                        List.of(new CompletedPart(1, "etag", Map.of())),
                                        Map.of(),
                                        WriteCheck.NONE,
                                        Durability.FSYNC,
                                        Supplier::get))
                        .isInstanceOf(StoreException.InvalidPart.class);
                second = part(store, upload, 1, again);
                first.write(ByteBuffer.wrap(slow, MIB, slow.length - MIB));
            }
            complete(store, upload, List.of(second));
            assertThat(get(store, "key")).isEqualTo(again);
        }
    }

    @Test
    void partsInAnyOrderBecomeTheObject() throws Exception {
        for (int size : new int[] {6 * MIB, 5_500_000}) {
            var contents = new byte[][] {random(1, size), random(2, size), random(3, 1_234_567)};
            try (var store = open(drives(folder, 1))) {
                var upload = begin(store, "big" + size);
                var parts = new ArrayList<Part>();
                for (int number : new int[] {2, 3, 1}) {
                    parts.add(part(store, upload, number, contents[number - 1]));
                }
                parts.sort(Comparator.comparingInt(Part::number));
                assertThat(store.multipart().listParts(BUCKET, upload.key(), upload.uploadId(), 0, 100))
                        .isEqualTo(parts);
                assertThat(store.lookup(BUCKET, upload.key())).isInstanceOf(Lookup.Miss.class);
                var record = complete(store, upload, parts);
                assertThat(record.etag()).endsWith("-3");
                assertThat(record.parts().orElseThrow().sizes()).containsExactly((long) size, (long) size, 1_234_567L);
                assertThat(record.headers()).containsEntry("Content-Type", "x/y");
                assertThat(get(store, upload.key())).isEqualTo(joined(contents));
                assertThat(complete(store, upload, parts)).as("asked again").isEqualTo(record);
                assertThatThrownBy(() -> part(store, upload, 4, new byte[1]))
                        .isInstanceOf(StoreException.NoSuchUpload.class);
            }
            requireNothingLeft();
        }
    }

    @Test
    void unequalMissingAndRepeatedPartsAreMovedTogether() throws Exception {
        try (var store = open(drives(folder, 1))) {
            var unequal = begin(store, "unequal");
            var a = random(1, 7 * MIB);
            var b = random(2, 5 * MIB + 1);
            var c = random(3, 8 * MIB);
            var parts = List.of(part(store, unequal, 2, a), part(store, unequal, 5, b), part(store, unequal, 9, c));
            complete(store, unequal, parts);
            assertThat(get(store, "unequal")).isEqualTo(joined(a, b, c));

            var repeated = begin(store, "repeated");
            part(store, repeated, 1, random(4, 5 * MIB));
            var second = part(store, repeated, 2, random(5, 5 * MIB));
            part(store, repeated, 1, random(6, 5 * MIB));
            var first = part(store, repeated, 1, random(7, 5 * MIB));
            part(store, repeated, 3, random(8, MIB));
            complete(store, repeated, List.of(first, second));
            assertThat(get(store, "repeated")).isEqualTo(joined(random(7, 5 * MIB), random(5, 5 * MIB)));
        }
        requireNothingLeft();
    }

    @Test
    void uploadsSurviveARestart() throws Exception {
        var paths = drives(folder, 1);
        UploadState upload;
        var parts = new ArrayList<Part>();
        try (var store = open(paths)) {
            upload = begin(store, "later");
            parts.add(part(store, upload, 1, random(1, 5 * MIB)));
            var broken = store.multipart().part(BUCKET, "later", upload.uploadId(), 2, 5 * MIB, Durability.FSYNC);
            broken.write(ByteBuffer.wrap(random(9, MIB)));
        }
        try (var store = open(paths)) {
            assertThat(store.multipart().listUploads(BUCKET, "la", "", "", 10).uploads())
                    .containsExactly(upload);
            assertThat(store.isEmpty(BUCKET.id())).isFalse();
            parts.add(part(store, upload, 2, random(2, 5 * MIB)));
            parts.add(part(store, upload, 3, random(3, 17)));
            complete(store, upload, parts);
        }
        try (var store = open(paths)) {
            assertThat(get(store, "later")).isEqualTo(joined(random(1, 5 * MIB), random(2, 5 * MIB), random(3, 17)));
            assertThat(complete(store, upload, parts).etag()).endsWith("-3");
            assertThat(store.multipart().listUploads(BUCKET, "", "", "", 10).uploads())
                    .isEmpty();
            store.multipart().expire(Instant.now().plusSeconds(1), _ -> false);
            assertThat(complete(store, upload, parts).etag())
                    .as("the object says it")
                    .endsWith("-3");
            assertThat(store.delete(BUCKET, "later", WriteCheck.NONE, Durability.FSYNC))
                    .isTrue();
            assertThatThrownBy(() -> complete(store, upload, parts)).isInstanceOf(StoreException.NoSuchUpload.class);
        }
        requireNothingLeft();
    }

    @Test
    void whatCannotBeCompletedIsRefusedAndMayBeTriedAgain() throws Exception {
        try (var store = open(drives(folder, 1))) {
            var upload = begin(store, "k");
            var small = part(store, upload, 1, random(1, 100));
            var last = part(store, upload, 2, random(2, 100));
            assertThatThrownBy(() -> complete(store, upload, List.of(small, last)))
                    .isInstanceOf(StoreException.EntityTooSmall.class);
            assertThatThrownBy(() -> complete(store, upload, List.of(last, small)))
                    .isInstanceOf(StoreException.InvalidPartOrder.class);
            var replaced = part(store, upload, 1, random(3, 5 * MIB));
            assertThatThrownBy(() -> complete(store, upload, List.of(small, last)))
                    .isInstanceOf(StoreException.InvalidPart.class);
            complete(store, upload, List.of(replaced, last));
            assertThat(get(store, "k")).isEqualTo(joined(random(3, 5 * MIB), random(2, 100)));
        }
        requireNothingLeft();
    }

    @Test
    void anAbortedOrExpiredUploadIsGone() throws Exception {
        try (var store = open(drives(folder, 1))) {
            var upload = begin(store, "k");
            part(store, upload, 1, random(1, 5 * MIB));
            part(store, upload, 7, random(1, 10));
            store.multipart().abort(BUCKET, "k", upload.uploadId());
            assertThatThrownBy(() -> store.multipart().listParts(BUCKET, "k", upload.uploadId(), 0, 10))
                    .isInstanceOf(StoreException.NoSuchUpload.class);
            var old = begin(store, "old");
            part(store, old, 1, random(1, 10));
            store.multipart().expire(Instant.EPOCH, _ -> true);
            assertThat(store.isEmpty(BUCKET.id())).isTrue();
        }
        requireNothingLeft();
    }

    @Tag("long")
    @Test
    void aBucketHasTenThousandOpenUploadsAtMost() throws Exception {
        try (var store = open(drives(folder, 2));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            int makers = 100;
            var making = IntStream.range(0, makers)
                    .mapToObj(maker -> threads.submit(() -> {
                        for (int i = 0; i < Multipart.MOST_OPEN / makers; i++) {
                            begin(store, "key" + maker + "/" + i);
                        }
                        return true;
                    }))
                    .toList();
            for (var each : making) {
                assertThat(each.get()).isTrue();
            }
            assertThatThrownBy(() -> begin(store, "one more"))
                    .isInstanceOf(StoreException.InvalidArgument.class)
                    .hasMessageContaining("10,000 open multipart uploads");
            var one = store.multipart()
                    .listUploads(BUCKET, "", "", "", 1)
                    .uploads()
                    .getFirst();
            store.multipart().abort(BUCKET, one.key(), one.uploadId());
            begin(store, "one more");
        }
    }

    @Test
    void uploadsAreListedInPages() throws Exception {
        try (var store = open(drives(folder, 2))) {
            var all = new ArrayList<UploadState>();
            for (var key : List.of("a", "a", "a/b", "b", "c", "c")) {
                all.add(begin(store, key));
            }
            all.sort(Comparator.comparing(UploadState::key).thenComparing(UploadState::uploadId));
            var seen = new ArrayList<UploadState>();
            while (seen.size() < all.size()) {
                var last = seen.isEmpty() ? Optional.<UploadState>empty() : Optional.of(seen.getLast());
                seen.addAll(store.multipart()
                        .listUploads(
                                BUCKET,
                                "",
                                last.map(UploadState::key).orElse(""),
                                last.map(UploadState::uploadId).orElse(""),
                                2)
                        .uploads());
            }
            assertThat(seen).isEqualTo(all);
            assertThat(store.multipart().listUploads(BUCKET, "", "a", "", 10).uploads())
                    .extracting(UploadState::key)
                    .containsExactly("a/b", "b", "c", "c");
        }
    }
}
