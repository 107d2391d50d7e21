package dev.sluice.targetnode.storage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderWalkTest {
    private static final long SEED = 27;
    private static final int[] SIZES = {0, 1, 255, 256, 257, 1000};

    @TempDir
    private Path folder;

    @Test
    void batchesAreBoundedAndComplete() throws Exception {
        Files.createDirectory(folder.resolve(".sluice"));
        var random = new Random(SEED);
        OnDrive.run(folder, local -> {
            for (int size : SIZES) {
                var expected = fill("f" + size, size, random);
                for (var files : List.of(local, new GuardedFiles(local, folder))) {
                    var found = walked(files, "f" + size);
                    assertThat(found)
                            .as("%d names, seed %d", size, SEED)
                            .hasSize(size)
                            .containsExactlyInAnyOrderElementsOf(expected);
                    assertThat(FolderWalk.isEmpty(files, "f" + size)).isEqualTo(size == 0);
                }
            }
            requireNothingOpen();
        });
    }

    @Test
    void nothingIsInAFolderThatIsNotThere() throws Exception {
        OnDrive.run(folder, files -> {
            Files.createFile(folder.resolve("file"));
            assertThat(walked(files, "none")).isEmpty();
            assertThat(walked(files, "file")).isEmpty();
        });
    }

    @Test
    void namesThatAreNotTouchedAreSeenOnceWhileOthersComeAndGo() throws Exception {
        var random = new Random(SEED);
        OnDrive.run(folder, files -> {
            var touched = new HashSet<String>();
            var all = fill("f", 1500, random);
            var found = new ArrayList<String>();
            int round = 0;
            try (var walk = files.walk("f")) {
                for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                    found.addAll(batch);
                    delete("f", batch.getFirst(), touched); // one that was seen
                    delete("f", all.get(random.nextInt(all.size())), touched);
                    Files.createFile(folder.resolve("f/new" + round++));
                }
            }
            assertThat(round).isGreaterThan(1500 / FolderWalk.BATCH);
            var untouched = new HashSet<>(all);
            untouched.removeAll(touched);
            found.retainAll(untouched);
            assertThat(found).as("seed %d", SEED).hasSameSizeAs(untouched).containsAll(untouched);
        });
    }

    /// What an interrupted walk of orphans goes on by.
    @Test
    void namesThatStayKeepTheirOrder() throws Exception {
        OnDrive.run(folder, files -> {
            var touched = new HashSet<String>();
            fill("f", 1000, new Random(SEED));
            var before = walked(files, "f");
            for (int i = 0; i < before.size(); i += 3) {
                delete("f", before.get(i), touched);
            }
            assertThat(walked(files, "f"))
                    .isEqualTo(before.stream()
                            .filter(name -> !touched.contains(name))
                            .toList());
        });
    }

    @Test
    void aWalkEndsWhereTheDriveIsNoMoreAndLeavesNothingOpen() throws Exception {
        var drive = folder.resolve("drive");
        var away = folder.resolve("away");
        Files.createDirectories(drive.resolve(".sluice"));
        OnDrive.run(drive, local -> {
            fillAt(drive.resolve("f"), 1000, new Random(SEED));
            var files = new GuardedFiles(local, drive);
            try (var walk = files.walk("f")) {
                assertThat(walk.next()).hasSize(FolderWalk.BATCH);
                Files.move(drive, away);
                assertThatThrownBy(walk::next).isInstanceOf(IOException.class);
                Files.createDirectories(drive.resolve(".sluice"));
                assertThatThrownBy(walk::next).hasMessageContaining("another drive is mounted");
                assertThatThrownBy(() -> files.walk("f")).hasMessageContaining("another drive is mounted");
            }
            requireNothingOpen();
        });
    }

    private List<String> fill(String name, int size, Random random) throws IOException {
        return fillAt(folder.resolve(name), size, random);
    }

    /// Files, and folders here and there, under names of all lengths.
    private static List<String> fillAt(Path at, int size, Random random) throws IOException {
        Files.createDirectories(at);
        var names = new ArrayList<String>();
        for (int i = 0; i < size; i++) {
            var name = i + "x".repeat(random.nextInt(200)) + (i % 7 == 0 ? "/" : "");
            var path = at.resolve(name);
            if (name.endsWith("/")) {
                Files.createDirectory(path);
            } else {
                Files.createFile(path);
            }
            names.add(name);
        }
        return names;
    }

    private void delete(String from, String name, Set<String> touched) throws IOException {
        Files.deleteIfExists(folder.resolve(from).resolve(name));
        touched.add(name);
    }

    private static List<String> walked(DriveFiles files, String path) throws IOException {
        var found = new ArrayList<String>();
        try (var walk = files.walk(path)) {
            for (var batch = walk.next(); !batch.isEmpty(); batch = walk.next()) {
                assertThat(batch).hasSizeLessThanOrEqualTo(FolderWalk.BATCH);
                found.addAll(batch);
            }
            assertThat(walk.next()).as("after the end").isEmpty();
        }
        return found;
    }

    /// Of the folders below the test's own.
    private void requireNothingOpen() throws IOException {
        try (var open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var each : open) {
                if (Files.isSymbolicLink(each)) {
                    var at = Files.readSymbolicLink(each);
                    assertThat(at.startsWith(folder)
                                    && at.getFileName().toString().startsWith("f"))
                            .as("%s is open", at)
                            .isFalse();
                }
            }
        }
    }
}
