package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// A drive with a file of every kind, once as an orderly end leaves it and once as a kill does in the middle of a
/// write; and what was acknowledged by then.
final class FaultDrive {
    static final String PENDING = "pending-upload";
    private static final int MIB = 1 << 20;

    /// How the store ended.
    enum End {
        CLOSED,
        KILLED
    }

    private final Path folder;
    private final Acknowledged acknowledged = new Acknowledged();
    private final Acknowledged acknowledgedAtKill;
    private final UploadState upload;
    private final List<Part> parts = new ArrayList<>();
    private final byte[] uploaded;

    /// @param seed of the contents, so that two drives have different ones
    FaultDrive(Path folder, long seed) throws IOException {
        this.folder = folder;
        var live = folder.resolve("live");
        var drive = Files.createDirectories(live.resolve("d1"));
        try (var store = open(List.of(drive))) {
            for (var key : List.of("small", "dir/nested", "escaped//key", "replaced", "gone", "sub/gone")) {
                acknowledged.put(store, key, random(seed + key.hashCode(), 1000 + 100 * key.length()));
            }
            acknowledged.put(store, "big", random(seed + 1, 3 * MIB / 2));
            putLong(store, acknowledged, "long", random(seed + 2, 3000));
            putLong(store, acknowledged, "long-too", random(seed + 3, 4000));
            acknowledged.put(store, "replaced", random(seed + 4, 900));
            acknowledged.delete(store, "sub/gone");
        }
        var cut = new AtomicBoolean();
        FaultyFiles.Fault cutAtRename = (call, _) -> {
            if (cut.get() && call.equals("rename")) {
                cut.set(false);
                copy(live, folder.resolve("KILLED"));
            }
        };
        try (var store = ObjectStore.open(config(List.of(drive)), FaultyFiles.with(cutAtRename))) {
            acknowledged.put(store, "new-small", random(seed + 5, 2000));
            acknowledged.put(store, "new-big", random(seed + 6, 200_000));
            acknowledged.put(store, "replaced", random(seed + 7, 700));
            acknowledged.delete(store, "gone");
            this.upload = begin(store, PENDING);
            var contents = new byte[][] {random(seed + 8, 5 * MIB), random(seed + 9, 300_000)};
            parts.add(part(store, 1, contents[0], contents[0].length));
            parts.add(part(store, 2, contents[1], -1)); // of unknown length: in a file of its own
            var joined = new ByteArrayOutputStream();
            joined.writeBytes(contents[0]);
            joined.writeBytes(contents[1]);
            this.uploaded = joined.toByteArray();
            acknowledged.begun(PENDING, Optional.empty());
            this.acknowledgedAtKill = new Acknowledged(acknowledged);
            try (var unfinished = store.begin(BUCKET, "unfinished", -1, Durability.FSYNC)) {
                unfinished.write(ByteBuffer.wrap(random(seed + 10, 200_000)));
                var decided = random(seed + 11, 400_000);
                acknowledgedAtKill.begun("new-big", Optional.of(decided));
                cut.set(true);
                acknowledged.put(store, "new-big", decided);
            }
        }
        copy(live, folder.resolve("CLOSED"));
    }

    /// An object whose record does not fit its attribute.
    void putLong(ObjectStore store, Acknowledged now, String key, byte[] content) {
        var metadata = new TreeMap<>(Map.of("note", "m".repeat(4000 + key.length())));
        var terms = CommitTerms.of("etag-" + content.length);
        now.change(key, Optional.of(content), () -> {
            try (var writing = store.begin(BUCKET, key, content.length, Durability.FSYNC)) {
                writing.write(ByteBuffer.wrap(content));
                return Optional.of(writing.commit(new CommitTerms(
                        terms.etag(),
                        terms.checksums(),
                        terms.headers(),
                        metadata,
                        terms.backendVersion(),
                        terms.modifiedMillis(),
                        terms.check())));
            }
        });
    }

    static UploadState begin(ObjectStore store, String key) {
        return store.multipart().create(BUCKET, key, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);
    }

    private Part part(ObjectStore store, int number, byte[] content, long announced) {
        return part(store, upload, number, content, announced);
    }

    static Part part(ObjectStore store, UploadState upload, int number, byte[] content, long announced) {
        try (var part =
                store.multipart().part(BUCKET, upload.key(), upload.uploadId(), number, announced, Durability.FSYNC)) {
            part.write(ByteBuffer.wrap(content));
            return part.commit("etag-of-part-" + number, Map.of());
        }
    }

    /// Completes the upload that was under way.
    ///
    /// @param mayBeLost whether a record of the upload was harmed, and the index rebuilt
    void complete(ObjectStore store, Acknowledged now, boolean mayBeLost) {
        now.change(PENDING, Optional.of(uploaded), () -> {
            try {
                return Optional.of(complete(store, upload, parts));
            } catch (StoreException.NoSuchUpload lost) {
                assertThat(mayBeLost || isThere(store, PENDING)).as("%s", lost).isTrue();
                throw new StoreException.Unavailable("the upload is lost, or its result");
            } catch (StoreException.InvalidPart lost) {
                assertThat(mayBeLost).as("%s", lost).isTrue();
                throw new StoreException.Unavailable("a part is lost");
            }
        });
    }

    private static boolean isThere(ObjectStore store, String key) {
        if (store.lookup(BUCKET, key) instanceof Lookup.Hit(var object)) {
            object.close();
            return true;
        }
        return false;
    }

    static ObjectRecord complete(ObjectStore store, UploadState upload, List<Part> parts) {
        return store.multipart()
                .complete(
                        BUCKET,
                        upload.key(),
                        upload.uploadId(),
                        parts.stream()
                                .map(part -> new CompletedPart(part.number(), part.etag(), Map.of()))
                                .toList(),
                        Map.of(),
                        WriteCheck.NONE,
                        Durability.FSYNC,
                        Supplier::get);
    }

    /// A copy to harm.
    Path copyTo(Path to, End end) throws IOException {
        copy(folder.resolve(end.name()), to);
        return to.resolve("d1");
    }

    Acknowledged acknowledged(End end) {
        return new Acknowledged(end == End.CLOSED ? acknowledged : acknowledgedAtKill);
    }

    /// The files of one kind on such a drive, in an order of their own.
    static List<Path> files(FaultTable.Kind kind, Path drive) throws IOException {
        var system = drive.resolve(".sluice");
        return switch (kind) {
            case OBJECT, RECORD, BOTH ->
                Stream.concat(
                                Stream.of("big", "small", "dir/nested", "new-big")
                                        .map(drive.resolve("objects/shards")::resolve),
                                under(system.resolve("escaped"), "").stream())
                        .filter(Files::exists)
                        .toList();
            case NAME -> under(system.resolve("buckets"), "");
            case DETAILS -> under(system.resolve("aux"), "");
            case WORK -> under(system.resolve("work"), "");
            case PART -> under(system.resolve("uploads"), "data|part-.*");
            case PART_RECORD -> under(system.resolve("uploads"), "place-.*|part-.*");
            case UPLOAD -> under(system.resolve("uploads"), "upload");
            case IDENTITY -> List.of(system.resolve("drive.json"));
            case DRIVES -> List.of(system.resolve("drives.json"));
            case ENDED -> List.of(system.resolve("closed.json"));
            case SST -> under(system.resolve("index"), ".*\\.sst");
            case WAL -> under(system.resolve("index"), ".*\\.log");
            case MANIFEST -> under(system.resolve("index"), "MANIFEST-.*");
            case CURRENT -> under(system.resolve("index"), "CURRENT");
            case SYNCED -> under(system.resolve("index"), "SYNCED");
            case STATE -> throw new IllegalArgumentException("the controller's");
        };
    }

    private static List<Path> under(Path folder, String name) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file ->
                            name.isEmpty() || file.getFileName().toString().matches(name))
                    .sorted()
                    .toList();
        }
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        var copying = new ProcessBuilder("cp", "-a", "--reflink=auto", from.toString(), to.toString())
                .inheritIO()
                .start();
        assertThat(copying.onExit().join().exitValue()).isZero();
    }
}
