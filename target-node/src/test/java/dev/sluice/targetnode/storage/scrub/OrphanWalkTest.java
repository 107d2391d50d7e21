package dev.sluice.targetnode.storage.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.pace.FakeTicks;
import dev.sluice.targetnode.storage.record.BucketRef;
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

    @TempDir
    private Path folder;

    private static final class Seen implements OrphanWalk.Visitor {
        private final List<String> looked = new ArrayList<>();
        private final List<String> orphans = new ArrayList<>();

        @Override
        public void within() {}

        @Override
        public void before() {}

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
        try (var threads = new DriveThreads("walk", 1, 1);
                var memory = new RocksMemory(1 << 20, 1 << 20)) {
            DriveThreads.await(threads.startStep(() -> {
                try (var contents = new Contents(
                        new LocalDriveFiles(folder), RocksIndex.open(folder.resolve(Layout.INDEX), memory))) {
                    var all = walk(contents, "");
                    assertThat(all.looked).containsExactlyInAnyOrderElementsOf(FILES);
                    assertThat(all.orphans).isEqualTo(all.looked);
                    for (int i = 0; i < FILES.size(); i++) {
                        assertThat(walk(contents, all.looked.get(i)).looked)
                                .isEqualTo(all.looked.subList(i + 1, FILES.size()));
                    }
                    assertThat(walk(contents, "objects/b/a/b/gone").looked)
                            .as("behind a file that is no more")
                            .isEqualTo(all.looked.subList(all.looked.indexOf("objects/b/a/b/c") + 1, FILES.size()));
                }
            }));
        }
    }

    private static Seen walk(Contents contents, String after) throws Exception {
        var seen = new Seen();
        var buckets = new NoBuckets();
        new OrphanWalk(contents, new KeyLocks(), buckets, seen, new FakeTicks()).run(after);
        assertThat(buckets.asked).as("who is asked for buckets").isLessThanOrEqualTo(2 * FILES.size());
        return seen;
    }
}
