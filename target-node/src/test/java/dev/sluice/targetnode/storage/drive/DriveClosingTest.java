package dev.sluice.targetnode.storage.drive;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The open files that a drive still has to close.
class DriveClosingTest {
    private static final int BOUND = 256;
    private static final int NONE = -1;

    @TempDir
    private Path folder;

    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger closedBeforeEmptying = new AtomicInteger(NONE);
    private final CountDownLatch tidierCloses = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CopyOnWriteArrayList<String> suspect = new CopyOnWriteArrayList<>();
    private Optional<Drive> opened = Optional.empty();

    @BeforeEach
    void open() throws Exception {
        for (var each : List.of(
                Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.UPLOADS, Layout.TRASH + "/3.objects")) {
            Files.createDirectories(folder.resolve(each));
        }
        try (var opener = new DriveThreads("open", 1, 1)) {
            opened = Optional.of(Await.io(opener.start(() -> new Drive(
                    "d1",
                    new GuardedFiles(watched(new LocalDriveFiles(folder)), folder),
                    new MemoryIndex(new Faults()),
                    new DriveSettings(1, 8, 32 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(1), () -> 1),
                    new Suspicion("d1", (during, failure) -> suspect.add(during + ": " + failure))))));
        }
        Await.whole(drive().start(() -> {}));
        drive().closeLater(file(() -> {
            tidierCloses.countDown();
            letGo.await();
        }));
        tidierCloses.await();
    }

    @AfterEach
    void close() {
        letGo.countDown();
        drive().close();
    }

    private Drive drive() {
        return opened.orElseThrow();
    }

    @Test
    void allThatWaitsIsClosedBeforeTrashIsEmptied() throws Exception {
        Files.createDirectories(folder.resolve(Layout.TRASH + "/3.objects"));
        Files.createFile(folder.resolve(Layout.TRASH + "/3.objects/k"));
        for (int i = 0; i < BOUND; i++) {
            drive().closeLater(file(() -> {}));
        }
        letGo.countDown();
        eventually(() -> !Files.exists(folder.resolve(Layout.TRASH + "/3.objects")));
        assertThat(closedBeforeEmptying).hasValue(BOUND + 1);
    }

    @Test
    void aDriveThatIsSlowToCloseDoesNotOpenMoreThanItCloses() {
        for (int i = 1; i <= 4 * BOUND; i++) {
            var file = drive().call(() -> file(() -> {}));
            drive().closeLater(file);
            assertThat(i - closed.get()).as("files that wait").isLessThanOrEqualTo(BOUND + 1);
        }
    }

    @Test
    void aCloseThatFailsIsNotThatOfTheWorkAfterIt() {
        for (int i = 0; i <= BOUND; i++) {
            drive().closeLater(file(() -> {
                throw new UncheckedIOException(new IOException("Input/output error"));
            }));
        }
        assertThat(suspect).isEmpty();
        assertThat(drive().<String>call(() -> "done")).isEqualTo("done");
        assertThat(suspect).singleElement().asString().contains("closing a file");
    }

    private DriveFiles watched(DriveFiles files) {
        return proxy(DriveFiles.class, (method, arguments) -> {
            if (method.getName().equals("delete")
                    && String.valueOf(arguments[0]).startsWith(Layout.TRASH)) {
                closedBeforeEmptying.compareAndSet(NONE, closed.get());
            }
            try {
                return method.invoke(files, arguments);
            } catch (InvocationTargetException failure) {
                throw failure.getCause() == null ? failure : failure.getCause();
            }
        });
    }

    private DriveFile file(DriveThreads.Step whenClosed) {
        return proxy(DriveFile.class, (_, _) -> {
            whenClosed.run();
            return closed.incrementAndGet();
        });
    }

    private interface Calls {
        Object call(java.lang.reflect.Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> seam, Calls calls) {
        return seam.cast(Proxy.newProxyInstance(
                seam.getClassLoader(),
                new Class<?>[] {seam},
                (_, method, arguments) -> calls.call(method, Objects.requireNonNullElse(arguments, new Object[0]))));
    }
}
