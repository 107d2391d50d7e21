package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A store with the scrubs of its drives, on demand only, and no cloud.
final class ScrubFixture implements AutoCloseable {
    static final BucketRef OTHER = new BucketRef(8, "other");
    static final ScrubCommand START = new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.empty());
    static final ScrubCommand STOP = new ScrubCommand(ScrubCommand.Action.STOP, Optional.empty(), Optional.empty());

    /// What a drive gives, past the page cache, may be changed here.
    interface Medium {
        void read(String path, long offset, ByteBuffer bytes) throws IOException;

        /// Before each call with a path.
        default void before(String call, String path) {}

        /// After each call with a path.
        default void after(String call, String path) {}
    }

    private static final KnownBuckets BUCKETS = StoreFixture.known(BUCKET, OTHER);

    final ObjectStore store;
    final Scrubs scrubs;

    ScrubFixture(List<Path> drives) throws IOException {
        this(drives, (_, _, _) -> {});
    }

    ScrubFixture(List<Path> drives, Medium medium) throws IOException {
        this(drives, medium, HealthSettings.DEFAULTS);
    }

    ScrubFixture(List<Path> drives, Medium medium, HealthSettings health) throws IOException {
        var files = through(medium);
        store = ObjectStore.open(
                StoreFixture.config(drives),
                new Seams((_, real) -> files.apply(real), UnaryOperator.identity()),
                health);
        scrubs = store.scrubs(ScrubSettings.OFF, BUCKETS, (_, _, _, _) -> Optional.empty());
    }

    private static UnaryOperator<DriveFiles> through(Medium medium) {
        return files -> wrap(DriveFiles.class, files, "", medium);
    }

    private static <T> T wrap(Class<T> seam, T real, String file, Medium medium) {
        return seam.cast(Proxy.newProxyInstance(
                seam.getClassLoader(), new Class<?>[] {seam}, (_, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof String path) {
                        medium.before(method.getName(), path);
                    }
                    try {
                        var result = method.invoke(real, arguments);
                        if (arguments != null && arguments[0] instanceof String path) {
                            medium.after(method.getName(), path);
                        }
                        if (method.getName().equals("readUncached")) {
                            medium.read(file, (long) arguments[0], (ByteBuffer) arguments[1]);
                        }
                        return result instanceof DriveFile opened
                                ? wrap(DriveFile.class, opened, (String) arguments[0], medium)
                                : result;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause() == null ? failure : failure.getCause();
                    }
                }));
    }

    DriveScrub status() {
        return scrubs.obey(ScrubCommand.STATUS).getFirst();
    }

    /// A whole pass over every drive.
    List<ScrubFinding> scrub() {
        eventually(() ->
                scrubs.obey(ScrubCommand.STATUS).stream().noneMatch(at -> at.state() == DriveScrub.State.WAITING));
        scrubs.obey(START);
        awaitEnd();
        return scrubs.obey(ScrubCommand.STATUS).stream()
                .flatMap(at -> at.latest().stream())
                .toList();
    }

    void awaitEnd() {
        eventually(() -> scrubs.obey(ScrubCommand.STATUS).stream()
                .allMatch(at -> at.state() == DriveScrub.State.IDLE && at.finishedMillis() >= at.begunMillis()));
    }

    @Override
    public void close() {
        scrubs.close();
        store.close();
    }
}
