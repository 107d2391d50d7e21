package dev.sluice.cli.demo.reading;

import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// A bucket that is a folder.
public record FolderStore(Path folder) implements ShardStore {
    @Override
    public void createBucket() throws IOException {
        Files.createDirectories(folder);
    }

    @Override
    public void put(String key, Path file) throws IOException {
        Files.copy(file, folder.resolve(key), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public InputStream open(String key) throws IOException {
        return Files.newInputStream(folder.resolve(key));
    }

    @Override
    public List<String> list() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }
}
