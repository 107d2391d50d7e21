package dev.sluice.cli.command.object;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// A file that appears under its name when it is whole.
final class WholeFile {
    /// Writes all of it.
    interface Content {
        /// @return how many bytes
        long to(OutputStream output) throws IOException;
    }

    private WholeFile() {}

    /// Makes its folders too. A file of this name is replaced; where the content fails, it stays.
    static long write(Path file, Content content) throws IOException {
        var work = file.resolveSibling("." + file.getFileName() + ".part");
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (var output = Files.newOutputStream(work)) {
            var size = content.to(output);
            Files.move(work, file, StandardCopyOption.REPLACE_EXISTING);
            return size;
        } catch (IOException cut) {
            Files.deleteIfExists(work);
            throw cut;
        }
    }
}
