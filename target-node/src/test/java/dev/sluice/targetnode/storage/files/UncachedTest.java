package dev.sluice.targetnode.storage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.common.concurrent.Await;
import dev.sluice.testing.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What goes past the page cache is what comes back, whole blocks or not.
class UncachedTest {
    private static final int BLOCK = 1 << 20;

    @TempDir
    private Path folder;

    private static byte[] random(int length) {
        return Bytes.random(length, length);
    }

    private void write(byte[] content) throws Exception {
        onDriveThread(() -> {
            try (var files = new LocalDriveFiles(folder);
                    var file = files.create("file")) {
                var buffer = DriveFile.uncachedBuffer(BLOCK);
                for (int at = 0; at < content.length; at += BLOCK) {
                    buffer.clear().put(content, at, Math.min(BLOCK, content.length - at));
                    file.writeUncached(at, buffer.flip());
                    assertThat(buffer.hasRemaining()).isFalse();
                }
                file.sync();
            }
            return 0;
        });
    }

    private static <T> T onDriveThread(DriveThreads.Work<T> work) throws Exception {
        try (var threads = new DriveThreads("uncached", 1, 1)) {
            return Await.io(threads.start(work));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 4097, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 12_345})
    void whatIsWrittenIsRead(int length) throws Exception {
        var content = random(length);
        write(content);
        assertThat(folder.resolve("file")).hasBinaryContent(content);
        var read = onDriveThread(() -> {
            try (var files = new LocalDriveFiles(folder);
                    var file = files.open("file")) {
                var all = ByteBuffer.allocate(length + 1);
                var buffer = DriveFile.uncachedBuffer(BLOCK);
                for (int at = 0; at < length; at += BLOCK) {
                    all.put(DriveFile.uncached(file, at, Math.min(BLOCK, length - at), buffer));
                }
                return all.flip();
            }
        });
        assertThat(read).isEqualTo(ByteBuffer.wrap(content));
    }

    /// Where the file system can do that: what is moved does not push out what is read.
    @Test
    void whatIsWrittenIsNotInThePageCache() throws Exception {
        write(random(2 * BLOCK));
        boolean cached = onDriveThread(() -> {
            try (var files = new LocalDriveFiles(folder);
                    var file = files.open("file")) {
                return file.isCached(0, BLOCK);
            }
        });
        assumeFalse(Files.getFileStore(folder).type().equals("tmpfs"), "tmpfs is the page cache");
        assertThat(cached).isFalse();
    }
}
