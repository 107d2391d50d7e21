package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Usage;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.UploadState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// After whatever was done, a bucket takes what its objects and the parts of its uploads add up to.
@Timeout(120)
class BucketBytesTest {
    private static final List<String> KEYS = List.of("a", "b", "c/d", "e/");
    private static final int STEPS = 600;

    @TempDir
    private Path folder;

    private final Random random = new Random(42);
    private final List<UploadState> uploads = new ArrayList<>();
    private List<BucketRef> buckets = List.of(new BucketRef(1, "one"), new BucketRef(2, "two"));
    private long lastId = 2;

    @Test
    void whatABucketTakesIsTheSumOfItsObjectsAndParts() throws IOException {
        var drives = drives(folder, 2);
        var store = StoreFixture.open(drives);
        try {
            for (int step = 0; step < STEPS; step++) {
                change(store);
                if (random.nextInt(60) == 0) {
                    store.close();
                    store = StoreFixture.open(drives);
                }
                if (step % 10 == 0) {
                    check(store, step);
                }
            }
            assertThat(lastId).as("buckets that were dropped").isGreaterThan(3);
        } finally {
            store.close();
        }
    }

    private void change(ObjectStore store) {
        var bucket = buckets.get(random.nextInt(buckets.size()));
        var key = KEYS.get(random.nextInt(KEYS.size()));
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5 -> put(store, bucket, key, random(1, random.nextInt(200_000)), Durability.FSYNC);
            case 6, 7 -> put(store, bucket, key, random(1, random.nextInt(100)), Durability.OS);
            case 8, 9, 10 -> store.delete(bucket, key, WriteCheck.NONE, Durability.FSYNC);
            case 11, 12, 13 ->
                uploads.add(store.multipart()
                        .create(bucket, key, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false));
            case 14, 15, 16, 17, 18, 19 -> anUpload().ifPresent(upload -> parts(store, upload));
            case 20, 21 -> anUpload().ifPresent(upload -> complete(store, upload));
            case 22 ->
                anUpload().ifPresent(upload -> {
                    store.multipart().abort(upload.bucket(), upload.key(), upload.uploadId());
                    uploads.remove(upload);
                });
            default -> drop(store, bucket);
        }
    }

    private Optional<UploadState> anUpload() {
        return uploads.isEmpty() ? Optional.empty() : Optional.of(uploads.get(random.nextInt(uploads.size())));
    }

    /// Some at once, and some of the same number.
    private void parts(ObjectStore store, UploadState upload) {
        var numbers = random.ints(6, 1, 5).toArray();
        int size = 1000 + random.nextInt(100_000);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < numbers.length; i++) {
                int number = numbers[i];
                var content = random(number, i % 2 == 0 ? size : size + i);
                threads.execute(() -> part(store, upload, number, content));
            }
        }
    }

    private static void part(ObjectStore store, UploadState upload, int number, byte[] content) {
        try (var part = store.multipart()
                .part(upload.bucket(), upload.key(), upload.uploadId(), number, content.length, Durability.FSYNC)) {
            part.write(ByteBuffer.wrap(content));
            part.commit("etag" + number, Map.of());
        }
    }

    /// Of one part, for all but the last must have 5 MiB; the others go unused.
    private void complete(ObjectStore store, UploadState upload) {
        var parts = store.multipart().listParts(upload.bucket(), upload.key(), upload.uploadId(), 0, 100);
        if (parts.isEmpty()) {
            return;
        }
        var chosen = parts.get(random.nextInt(parts.size()));
        store.multipart()
                .complete(
                        upload.bucket(),
                        upload.key(),
                        upload.uploadId(),
                        List.of(new CompletedPart(chosen.number(), chosen.etag(), Map.of())),
                        Map.of(),
                        WriteCheck.NONE,
                        Durability.FSYNC,
                        Supplier::get);
        uploads.remove(upload);
    }

    private void drop(ObjectStore store, BucketRef bucket) {
        if (random.nextInt(4) > 0) {
            return;
        }
        store.dropBucket(bucket);
        assertThat(store.bucketBytes().of(bucket.id())).isEqualTo(Usage.NONE);
        uploads.removeIf(upload -> upload.bucket().equals(bucket));
        var next = new BucketRef(++lastId, bucket.name());
        buckets =
                buckets.stream().map(each -> each.equals(bucket) ? next : each).toList();
    }

    private void check(ObjectStore store, int step) {
        for (var bucket : buckets) {
            var objects = store.list(bucket.id(), "", "", 1000);
            long parts = uploads.stream()
                    .filter(upload -> upload.bucket().equals(bucket))
                    .flatMap(upload ->
                            store.multipart().listParts(bucket, upload.key(), upload.uploadId(), 0, 100).stream())
                    .mapToLong(dev.sluice.targetnode.storage.record.Part::size)
                    .sum();
            assertThat(store.bucketBytes().of(bucket.id()))
                    .as("%s after step %d", bucket, step)
                    .isEqualTo(new Usage(
                            objects.size(),
                            objects.stream().mapToLong(ListEntry::size).sum(),
                            parts));
        }
    }
}
