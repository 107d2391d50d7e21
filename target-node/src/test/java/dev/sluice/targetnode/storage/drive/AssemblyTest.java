package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.record.Part;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssemblyTest {
    private static final int PARTS = 10_000;
    private static final String UPLOAD = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    /// Told by the memory that it takes: joined one after the other, the sums of all parts before are copied for each
    /// part, some 200 MB here.
    @Test
    void sumsOfManyPartsAreCopiedOnce() throws Exception {
        try (var threads = new DriveThreads("test", 1, 1)) {
            Await.io(threads.startStep(this::requireCopiedOnce));
        }
    }

    private void requireCopiedOnce() throws IOException {
        var upload = Files.createDirectories(folder.resolve(Layout.upload(UPLOAD)));
        Files.createFile(upload.resolve(Part.SHARED));
        try (var files = new LocalDriveFiles(folder)) {
            var parts =
                    IntStream.rangeClosed(1, PARTS).mapToObj(AssemblyTest::part).toList();
            assembled(files, parts.subList(0, 2)); // what is loaded and made once
            long before = allocated();
            var sums = assembled(files, parts);
            assertThat(allocated() - before).isLessThan(100L * PARTS * Integer.BYTES);
            assertThat(sums.count()).isEqualTo(PARTS);
            for (int i = 0; i < PARTS; i++) {
                assertThat(sums.get(i)).isEqualTo(i + 1);
            }
        }
    }

    private static BlockSums assembled(LocalDriveFiles files, List<Part> parts) throws IOException {
        var whole = new Assembly(files, UPLOAD, parts).run(parts, true, "spare");
        whole.file().close();
        return whole.blocks();
    }

    /// Of one block, in its place.
    private static Part part(int number) {
        long offset = (number - 1L) * BlockSums.BLOCK;
        return new Part(number, BlockSums.BLOCK, "etag", Map.of(), 0, Part.SHARED, offset, BlockSums.of(number));
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
