package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.drive.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One folder with more names than a batch: an index made anew, listings, a scrub and a deletion see all of them.
class ManyNamesTest {
    /// A fifth of what the issue of five million is about, and of the heap that nodes have (`deploy/jvm.flags`). A list
    /// of the names alone would be more than that.
    private static final int MILLION = 1_000_000;

    private static final String FIFTH_OF_THE_HEAP = "-Xmx76m";
    private static final int PAGE = 1000;

    @TempDir
    private Path folder;

    @Test
    void allNamesOfAFolderAreSeen() throws Exception {
        run(folder, 700, Duration.ofMinutes(1));
    }

    @Test
    @Tag("long")
    void aMillionNamesNeedNoMoreMemory() throws Exception {
        var flags = List.of(
                FIFTH_OF_THE_HEAP,
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dfile.encoding=UTF-8");
        var command = Stream.of(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        flags.stream(),
                        Stream.of("-cp", System.getProperty("java.class.path")),
                        Stream.of(ManyNamesTest.class.getName(), folder.toString(), String.valueOf(MILLION)))
                .flatMap(each -> each)
                .toList();
        var process = new ProcessBuilder(command).inheritIO().start();
        try {
            assertThat(process.waitFor(2, TimeUnit.HOURS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /// Of a folder and a number of names.
    public static void main(String[] arguments) throws Exception {
        run(Path.of(arguments[0]), Integer.parseInt(arguments[1]), Duration.ofMinutes(30));
    }

    private static void run(Path folder, int names, Duration patience) throws Exception {
        var paths = StoreFixture.drives(folder, 1);
        var drive = paths.getFirst();
        step("put " + names, () -> putMany(paths, names));
        Files.move(drive.resolve(Layout.INDEX), folder.resolve("index"));
        step("start, the index made anew", () -> {
            try (var target = new ScrubFixture(paths)) {
                eventually(patience, target.store::ready);
            }
        });
        int orphans = Math.min(names / 2, 1000); // each is a line of the log
        for (int i = 0; i < orphans; i++) {
            Files.createFile(drive.resolve("objects/shards/many/by-hand-" + i));
        }
        try (var target = new ScrubFixture(paths)) {
            step("start", () -> eventually(patience, target.store::ready));
            step("list", () -> assertThat(listed(target.store)).isEqualTo(names));
            step("scrub", () -> scrub(target, patience));
            assertThat(target.status().findings()).isEqualTo(orphans);
            step("delete", () -> {
                target.store.dropBucket(BUCKET);
                eventually(patience, () -> isEmpty(drive.resolve(Layout.TRASH)));
            });
            assertThat(listed(target.store)).isZero();
            assertThat(drive.resolve("objects")).isEmptyDirectory();
        }
    }

    private static void putMany(List<Path> paths, int names) throws Exception {
        var next = new AtomicInteger();
        try (var store = StoreFixture.open(paths);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int writer = 0; writer < 64; writer++) {
                var _ = threads.submit(() -> {
                    for (int i = next.getAndIncrement(); i < names; i = next.getAndIncrement()) {
                        put(store, BUCKET, "many/%08d".formatted(i), new byte[] {1}, Durability.OS);
                    }
                });
            }
        }
    }

    private static int listed(ObjectStore store) {
        int seen = 0;
        var after = "";
        while (true) {
            var page = store.list(BUCKET.id(), "", after, PAGE);
            seen += page.size();
            if (page.size() < PAGE) {
                return seen;
            }
            after = page.getLast().key();
        }
    }

    private static void scrub(ScrubFixture target, Duration patience) {
        eventually(patience, () -> target.status().state() == DriveScrub.State.IDLE);
        target.scrubs.obey(ScrubFixture.START);
        eventually(patience, () -> {
            var at = target.scrubs.obey(ScrubCommand.STATUS).getFirst();
            return at.state() == DriveScrub.State.IDLE && at.finishedMillis() > 0;
        });
    }

    private static boolean isEmpty(Path folder) {
        try (var names = Files.newDirectoryStream(folder)) {
            return !names.iterator().hasNext();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void step(String what, Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        System.out.printf(
                "%s: %,d ms, %,d KiB of the heap%n", what, (System.nanoTime() - start) / 1_000_000, used / 1024);
    }
}
