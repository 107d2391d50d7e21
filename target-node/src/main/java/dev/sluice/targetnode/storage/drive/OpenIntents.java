package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// The intents that are prepared, and neither committed nor aborted. An intent is open while [Table#OPEN] has its
/// version, which goes in the batch that makes the row, or with the intent.
///
/// Small objects' bytes are in the index only. Changed by the threads that commit, seen by any.
final class OpenIntents {
    private static final int FORMAT = 1;

    /// What a start reads, beside what [Unsettled] may have.
    static final int MOST = 16_384;

    static final long MOST_BYTES = 64L << 20;

    private final Map<ObjectKey, Open> open = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();

    /// One of them.
    ///
    /// @param intent without an object's bytes
    /// @param content whether the stored intent has them
    /// @param size of the stored intent, in bytes
    record Open(Intent intent, boolean durable, boolean content, int size) {
        static Open of(Intent intent, boolean durable, int size) {
            return intent instanceof Intent.Put put && put.content().isPresent()
                    ? new Open(put.withoutContent(), durable, true, size)
                    : new Open(intent, durable, false, size);
        }

        OpenIntent told() {
            var slice = intent instanceof Intent.Put put ? put.entry().held() : new Slice(intent.version(), 0);
            return new OpenIntent(intent.bucket().id(), intent.key(), slice, intent instanceof Intent.Delete);
        }

        boolean hasDetails() {
            return intent instanceof Intent.Put put && put.entry().details();
        }

        boolean ends(String uploadId) {
            return intent instanceof Intent.Put put && put.endedUpload().equals(Optional.of(uploadId));
        }

        /// Its staging file, if it needs one to be committed.
        Optional<String> staging() {
            return intent instanceof Intent.Put put && !content ? Optional.of(put.work()) : Optional.empty();
        }
    }

    /// What the index has of an open intent besides the intent itself.
    record Row(long bucketId, boolean durable) {
        byte[] encode() {
            return new PackedWriter(FORMAT).number(bucketId).flag(durable).sealed();
        }

        static Row decode(byte[] value) throws IOException {
            var in = new PackedReader("an open intent", value, FORMAT);
            return new Row(in.number(), in.flag());
        }
    }

    static void put(IndexBatch batch, Intent intent, boolean durable) {
        batch.put(Table.OPEN, intent.indexKey(), new Row(intent.bucket().id(), durable).encode());
    }

    static Map<ObjectVersion, Row> rows(DriveIndex index) throws IOException {
        var rows = new HashMap<ObjectVersion, Row>();
        index.scan(Table.OPEN, new byte[0], (key, value) -> {
            rows.put(IndexKeys.version(key), Row.decode(value));
            return true;
        });
        return rows;
    }

    Optional<Open> get(ObjectKey key) {
        return Optional.ofNullable(open.get(key));
    }

    Optional<Open> get(ObjectKey key, ObjectVersion version) {
        return get(key).filter(found -> found.intent.version().equals(version));
    }

    Collection<Open> all() {
        return open.values();
    }

    List<OpenIntent> told() {
        return open.values().stream()
                .map(Open::told)
                .sorted(Comparator.comparing(OpenIntent::version))
                .toList();
    }

    void add(Open opened) {
        var before = open.put(opened.intent.name(), opened);
        bytes.addAndGet(opened.size - (before == null ? 0 : before.size));
    }

    void remove(ObjectKey key) {
        bytes.addAndGet(-Objects.requireNonNull(open.remove(key)).size);
    }

    /// @return the staging files that nobody needs any more
    List<String> removeAll(long bucketId) {
        var gone = open.values().stream()
                .filter(each -> each.intent.bucket().id() == bucketId)
                .toList();
        gone.forEach(each -> remove(each.intent.name()));
        return gone.stream().flatMap(each -> each.staging().stream()).toList();
    }

    /// Judges the writes of one group before it is decided; their keys differ.
    final class Admission {
        private final Unsettled unsettled;
        private int opening;
        private long openingBytes;

        Admission(Unsettled unsettled) {
            this.unsettled = unsettled;
        }

        /// @return false when there is nothing to do
        /// @throws IllegalStateException when it contradicts what is open
        /// @throws StoreException.Unavailable when too many are open
        boolean admits(DriveWrite write) {
            return switch (write) {
                case DriveWrite.Whole(var change) ->
                    change.intent().isEmpty() || isOther(change.intent().get());
                case DriveWrite.Opening opening -> opens(opening);
                case DriveWrite.Committing each ->
                    get(each.name(), each.version()).isPresent();
                case DriveWrite.Aborting each ->
                    get(each.name(), each.version()).isPresent();
            };
        }

        private boolean isOther(Intent intent) {
            if (get(intent.name(), intent.version()).isPresent()) {
                throw new IllegalStateException(intent.name() + " has an open intent of version " + intent.version());
            }
            return true;
        }

        private boolean opens(DriveWrite.Opening write) {
            var intent = write.intent();
            var present = get(intent.name());
            if (present.isPresent() && present.get().intent.version().equals(intent.version())) {
                return false;
            }
            if (present.isPresent() || unsettled.isLogged(intent.version())) {
                var why = present.isPresent() ? "open as " + present.get().told() : "committed, and not settled yet";
                throw new IllegalStateException("version %s of %s cannot be prepared: it is %s"
                        .formatted(intent.version(), intent.name(), why));
            }
            if (open.size() + opening >= MOST
                    || bytes.get() + openingBytes + write.change().bytes() > MOST_BYTES) {
                throw new StoreException.Unavailable("too many writes are prepared on the drive and not committed");
            }
            opening++;
            openingBytes += write.change().bytes();
            return true;
        }
    }
}
