package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// The two committing threads of a drive tell of uploads at the same time: one of those whose parts it logs, the other
/// of those that it ends.
class UploadedPartsTest {
    private static final long BUCKET = 3;
    private static final int UPLOADS = 20_000;
    private static final int SIZE = 100;

    private final MemoryIndex index = new MemoryIndex(new Faults());
    private final Usages usages = new Usages();

    @Test
    void uploadsThatBeginAndEndOnTwoThreadsAddUp() throws Exception {
        for (int i = 0; i < UPLOADS; i++) {
            tell(begun(i));
        }
        var start = new CyclicBarrier(2);
        try (var threads = Executors.newFixedThreadPool(2)) {
            var ending = threads.submit((Callable<Boolean>) () -> {
                start.await();
                for (int i = 0; i < UPLOADS; i++) {
                    tell(ended(i));
                    tell(begun(2 * UPLOADS + i));
                    tell(part(2 * UPLOADS + i));
                }
                return true;
            });
            var beginning = threads.submit((Callable<Boolean>) () -> {
                start.await();
                for (int i = UPLOADS; i < 2 * UPLOADS; i++) {
                    tell(begun(i));
                    tell(part(i));
                }
                return true;
            });
            requireDone(ending);
            requireDone(beginning);
        }
        assertThat(usages.uploaded().of(BUCKET)).isEqualTo(2L * UPLOADS * SIZE);
        assertThat(usages.uploads(BUCKET)).isEqualTo(2 * UPLOADS);
        for (int i = UPLOADS; i < 3 * UPLOADS; i++) {
            tell(ended(i));
        }
        assertThat(usages.uploaded().of(BUCKET)).isZero();
        assertThat(usages.uploads(BUCKET)).isZero();
    }

    /// An upload that becomes an object counts as the one, the other, or for a moment both. As neither, it would leave
    /// room in a quota that is not there.
    @Test
    void anUploadThatBecomesAnObjectIsNeverCountedAsNeither() throws Exception {
        var begun = new AtomicLong();
        var stop = new AtomicBoolean();
        try (var threads = Executors.newFixedThreadPool(1)) {
            var changing = threads.submit((Callable<Boolean>) () -> {
                for (int i = 0; !stop.get(); i++) {
                    tell(begun(i));
                    tell(part(i));
                    begun.incrementAndGet();
                    usages.replaced(BUCKET, Optional.empty(), entry());
                    tell(ended(i));
                }
                return true;
            });
            try {
                for (int i = 0; i < 8_000_000; i++) {
                    long least = begun.get() * SIZE;
                    assertThat(usages.of(BUCKET).allBytes()).isGreaterThanOrEqualTo(least);
                }
            } finally {
                stop.set(true);
            }
            requireDone(changing);
        }
    }

    private static void requireDone(Future<Boolean> work) throws Exception {
        assertThat(work.get()).isTrue();
    }

    private void tell(IndexBatch batch) throws IOException {
        usages.uploaded().new Group(index).add(batch);
    }

    private static String id(int upload) {
        return "%032x".formatted(upload);
    }

    private static byte[] key(int upload) {
        return UploadKeys.upload(BUCKET, "key", id(upload));
    }

    private static IndexBatch begun(int upload) {
        return new IndexBatch().put(Table.UPLOADS, key(upload), new byte[0]);
    }

    private static IndexBatch part(int upload) {
        var part = new PackedWriter(1).number(1).number(SIZE).sealed();
        return new IndexBatch().put(Table.PARTS, UploadKeys.part(id(upload), 1), part);
    }

    private static IndexBatch ended(int upload) {
        return new IndexBatch().delete(Table.UPLOADS, key(upload));
    }

    private static ObjectEntry entry() {
        return new ObjectEntry(new ObjectVersion(1, 1), SIZE, 0, "", false, false, false);
    }
}
