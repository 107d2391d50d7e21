package dev.sluice.cli.command.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NameLinesTest {
    private static List<String> names(String text) throws IOException {
        return NameLines.names("-", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void eachLineIsAName() throws IOException {
        assertThat(names("\uFEFFfirst\n")).containsExactly("first");
        assertThat(names("train/a b\r\n\n ä \nlast")).containsExactly("train/a b", " ä ", "last");
    }

    @Test
    void listsThatCannotBeAreRefused(@TempDir Path folder) throws IOException {
        assertThatThrownBy(() -> names("\n\n")).hasMessageContaining("has no names");
        assertThatThrownBy(() -> names("x".repeat(300 << 10))).hasMessageContaining("split it");
        var file = folder.resolve("list");
        assertThatThrownBy(() -> NameLines.read(file.toString())).hasMessageContaining("there is no file");
        Files.write(file, new byte[] {'a', (byte) 0xff, '\n'});
        assertThatThrownBy(() -> NameLines.read(file.toString())).hasMessageContaining("UTF-8");
    }
}
