package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class KeptWritesMarkTest {
    @TempDir
    private Path memory;

    private KeptWritesMark opened() {
        return KeptWritesMark.in(memory.resolve("sluice"), "d1");
    }

    @Test
    void isThereForTheNextProcessOnceItWasPut() {
        assertThat(opened().isThere()).isFalse();
        opened().put();
        assertThat(opened().isThere()).isTrue();
    }

    @Test
    void failureRemovesTheMarkThatAProcessBeforePut() {
        opened().put();
        opened().remove();
        assertThat(opened().isThere()).isFalse();
    }

    /// The log's answer to the registration may come later than the failure.
    @Test
    void markIsNotPutAfterAFailure() {
        var mark = opened();
        mark.remove();
        mark.put();
        assertThat(mark.isThere()).isFalse();
        assertThat(opened().isThere()).isFalse();
    }

    @Test
    void markOfAnotherBootDoesNotCount() throws IOException {
        opened().put();
        Files.writeString(memory.resolve("sluice/kept-d1"), "another boot");
        assertThat(opened().isThere()).isFalse();
    }

    @Test
    void thereIsNoMarkWithoutAFileSystemInMemory() {
        var mark = KeptWritesMark.in(memory.resolve("missing/sluice"), "d1");
        mark.put();
        assertThat(mark.isThere()).isFalse();
    }
}
