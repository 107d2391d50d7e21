package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.files.OnDrive;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How the trash is emptied, on a real file system.
class TrashTest {
    private static final int NAMES = 600;
    private static final int STEP = 100;

    @TempDir
    private Path folder;

    private Path trashFolder = Path.of("unset");
    private int batches;
    private int open;
    private boolean fails;

    private interface Work {
        void run(Trash trash) throws IOException;
    }

    @BeforeEach
    void makeFolders() throws IOException {
        trashFolder = Files.createDirectories(folder.resolve(Layout.TRASH));
    }

    @Test
    void trashOfManyNamesIsEmptiedInSteps() throws Exception {
        fill("3.objects", NAMES);
        fill("3.objects/a/b", NAMES);
        fill("3.escaped", 1);
        Files.createFile(trashFolder.resolve("file"));
        Files.createDirectories(trashFolder.resolve("empty/er"));
        onDrive(trash -> {
            assertThat(emptied(trash, STEP)).as("steps").isBetween(2 * NAMES / STEP, 2 * NAMES / STEP + 3);
            assertThat(open).isZero();
        });
        assertThat(trashFolder).isEmptyDirectory();
    }

    /// A step that began with the first name would pass those that were deleted before.
    @Test
    void eachNameIsReadOnce() throws Exception {
        fill("3.objects", 4 * FolderWalk.BATCH);
        onDrive(trash -> {
            emptied(trash, STEP);
            assertThat(batches).isLessThan(4 + 5);
        });
    }

    @Test
    void whatIsTakenMeanwhileGoesToo() throws Exception {
        fill("3.objects", NAMES);
        Files.createDirectories(folder.resolve("objects/b/c"));
        onDrive(trash -> {
            assertThat(trash.empty(STEP)).isTrue();
            trash.take("objects/b", "4.objects");
            Files.createDirectories(trashFolder.resolve("3.objects/late"));
            emptied(trash, STEP);
        });
        assertThat(trashFolder).isEmptyDirectory();
    }

    @Test
    void nothingStaysOpenAfterTheEndOrAFailure() throws Exception {
        fill("3.objects/a/b", NAMES);
        onDrive(trash -> {
            assertThat(trash.empty(STEP)).isTrue();
            assertThat(open).as("folders on the way").isEqualTo(4);
            trash.close();
            assertThat(open).isZero();
            assertThat(trash.empty(STEP)).isTrue();
            fails = true;
            assertThatThrownBy(() -> trash.empty(STEP)).isInstanceOf(IOException.class);
            assertThat(open).isZero();
            fails = false;
            emptied(trash, STEP);
        });
        assertThat(trashFolder).isEmptyDirectory();
    }

    @Test
    void aFolderOfManyNamesIsDeletedAtOnce() throws Exception {
        fill("up", NAMES);
        fill("up/a", NAMES);
        onDrive(trash -> {
            trash.delete(Layout.TRASH + "/up/");
            assertThat(open).isZero();
        });
        assertThat(trashFolder).isEmptyDirectory();
    }

    private static int emptied(Trash trash, int step) throws IOException {
        int steps = 1;
        while (trash.empty(step)) {
            steps++;
            assertThat(steps).as("steps").isLessThan(100 * NAMES);
        }
        return steps;
    }

    private void fill(String name, int files) throws IOException {
        var at = Files.createDirectories(trashFolder.resolve(name));
        for (int i = 0; i < files; i++) {
            Files.createFile(at.resolve("file" + i));
        }
    }

    private void onDrive(Work work) throws Exception {
        OnDrive.run(folder, files -> {
            var watched = wrap(DriveFiles.class, files);
            work.run(new Trash(watched, new ShardFiles(watched)));
        });
    }

    private <T> T wrap(Class<T> seam, T real) {
        return seam.cast(Proxy.newProxyInstance(
                seam.getClassLoader(), new Class<?>[] {seam}, (_, method, arguments) -> {
                    if (fails && method.getName().equals("delete")) {
                        throw new IOException("Input/output error");
                    }
                    if (real instanceof FolderWalk) {
                        batches += method.getName().equals("next") ? 1 : 0;
                        open -= method.getName().equals("close") ? 1 : 0;
                    }
                    try {
                        var result = method.invoke(real, arguments);
                        if (result instanceof FolderWalk walk) {
                            open++;
                            return wrap(FolderWalk.class, walk);
                        }
                        return result;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause() == null ? failure : failure.getCause();
                    }
                }));
    }
}
