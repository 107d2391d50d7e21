package dev.sluice.targetnode.storage.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.drive.DriveStore;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.pace.FakeTicks;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrphanWalkTest {
    private static final List<String> FILES = List.of(
            "objects/b/a-",
            "objects/b/a/b/c",
            "objects/b/a/b-",
            "objects/b/a.x",
            "objects/b2/x",
            ".sluice/escaped/7/00",
            ".sluice/escaped/8/00");

    private static final int MANY = 300;

    @TempDir
    private Path folder;

    private static final class Seen implements OrphanWalk.Visitor {
        private final List<String> looked = new ArrayList<>();
        private final List<String> orphans = new ArrayList<>();
        private int left;

        Seen(int atMost) {
            left = atMost;
        }

        @Override
        public void within() {}

        @Override
        public void before() {
            if (left-- == 0) {
                throw new Cancelled();
            }
        }

        @Override
        public void orphan(ScrubFinding finding) {
            orphans.add(finding.path());
        }

        @Override
        public void looked(String path) {
            looked.add(path);
        }
    }

    private static final class NoBuckets implements KnownBuckets {
        private int asked;

        @Override
        public Optional<BucketRef> withId(long id) {
            asked++;
            return Optional.empty();
        }

        @Override
        public Optional<BucketRef> named(String name) {
            asked++;
            return Optional.empty();
        }
    }

    @Test
    void aWalkGoesOnBehindAnyFile() throws Exception {
        for (var file : FILES) {
            Files.createDirectories(folder.resolve(file).getParent());
            Files.createFile(folder.resolve(file));
        }
        onDrive(store -> {
            var all = walk(store, "");
            assertThat(all.looked).containsExactlyInAnyOrderElementsOf(FILES);
            assertThat(all.orphans).isEqualTo(all.looked);
            for (int i = 0; i < FILES.size(); i++) {
                assertThat(walk(store, all.looked.get(i)).looked).isEqualTo(all.looked.subList(i + 1, FILES.size()));
            }
            assertThat(walk(store, "objects/b/a/b/gone").looked)
                    .as("behind a file that is no more")
                    .isEqualTo(all.looked.subList(all.looked.indexOf("objects/b/a/b/c"), FILES.size()));
        });
    }

    /// As at a restart: another walk, which knows the last path only.
    @Test
    void aWalkOfManyNamesGoesOnWhereItWas() throws Exception {
        var files = new ArrayList<String>();
        for (int i = 0; i < MANY; i++) {
            files.add("objects/b/f%d/k".formatted(i));
            files.add("objects/b/many/k%d".formatted(i));
            files.add(".sluice/escaped/7/%d".formatted(i));
        }
        for (var file : files) {
            Files.createDirectories(folder.resolve(file).getParent());
            Files.createFile(folder.resolve(file));
        }
        onDrive(store -> {
            var seen = new Seen(files.size() / 7);
            for (int walks = 1; !isEnded(store, seen); walks++) {
                seen.left = files.size() / 7;
                assertThat(walks).isLessThanOrEqualTo(7);
            }
            assertThat(seen.orphans).isEqualTo(seen.looked);
            assertThat(seen.looked).hasSameSizeAs(files).containsExactlyInAnyOrderElementsOf(files);
        });
    }

    @Test
    void aFolderWhoseNameIsGoneIsWalkedFromItsBegin() throws Exception {
        Files.createDirectories(folder.resolve(".sluice"));
        Files.createDirectories(folder.resolve("objects/b/many"));
        for (int i = 0; i < MANY; i++) {
            Files.createFile(folder.resolve("objects/b/many/k" + i));
        }
        onDrive(store -> {
            var seen = new Seen(MANY / 2);
            assertThat(isEnded(store, seen)).isFalse();
            Files.delete(folder.resolve(seen.looked.getLast()));
            assertThat(walk(store, seen.looked.getLast()).looked).hasSize(MANY - 1);
        });
    }

    private static boolean isEnded(DriveStore store, Seen seen) throws IOException {
        try {
            walk(store, seen.looked.isEmpty() ? "" : seen.looked.getLast(), seen);
            return true;
        } catch (Cancelled _) {
            return false;
        }
    }

    private interface Work {
        void run(DriveStore store) throws IOException;
    }

    private void onDrive(Work work) throws Exception {
        try (var threads = new DriveThreads("walk", 1, 1);
                var memory = new RocksMemory(1 << 20, 1 << 20)) {
            Await.io(threads.startStep(() -> {
                try (var files = new LocalDriveFiles(folder);
                        var index = RocksIndex.open(folder.resolve(Layout.INDEX), memory)) {
                    work.run(Insides.store(files, index));
                }
            }));
        }
    }

    private static Seen walk(DriveStore store, String after) throws IOException {
        var seen = new Seen(Integer.MAX_VALUE);
        int asked = walk(store, after, seen);
        assertThat(asked)
                .as("who is asked for buckets")
                .isLessThanOrEqualTo(2 * Math.max(FILES.size(), seen.looked.size()));
        return seen;
    }

    private static int walk(DriveStore store, String after, Seen seen) throws IOException {
        var buckets = new NoBuckets();
        new OrphanWalk(store, new KeyLocks(), buckets, seen, new FakeTicks()).run(after);
        return buckets.asked;
    }
}
