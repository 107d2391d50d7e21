package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// The changes that are done, but that a crash may take from the drive again: their intents stay until [#settle] has
/// synced what they changed. What is logged a start does again, so there is a most of it. May be asked on any thread;
/// changes come one at a time.
final class Unsettled {
    /// Many times what is logged between two checkpoints as a rule. A group of commits is small beside it, so there is
    /// room for each group once all that is done has gone.
    private static final int MOST = 16_384;

    private static final long MOST_BYTES = 64L << 20;

    private final DriveFiles files;
    private final DriveIndex index;
    private final Places places;
    private final Object lock = new Object();
    private List<Intent> intents = new ArrayList<>();
    private Set<String> folders = new TreeSet<>();
    private final Map<ObjectVersion, Integer> logged = new HashMap<>(); // bytes, also of those not done yet
    private long loggedBytes;
    private final Object settling = new Object();
    private volatile Optional<IOException> failed = Optional.empty();
    private final Map<ObjectKey, Open> open = new ConcurrentHashMap<>();

    /// What is known of a key while it has intents that are not settled.
    ///
    /// @param version the newest one's
    /// @param content whether one of them has an object's bytes
    private record Open(ObjectVersion version, boolean content) {
        Open and(Open newer) {
            return new Open(newer.version, content || newer.content);
        }
    }

    Unsettled(DriveFiles files, DriveIndex index, Places places) {
        this.files = files;
        this.index = index;
        this.places = places;
    }

    /// Whether the key has intents that are not settled.
    boolean has(Intent intent) {
        return open.containsKey(intent.name());
    }

    /// Whether a change must not be decided before these are settled. One that a crash may take must not bring back
    /// an object from before the one it replaced. And a copy that comes from another drive keeps its version: an
    /// intent of before must not win over it at a start.
    boolean isInTheWayOf(Intent intent, boolean durable) {
        var before = open.get(intent.name());
        return before != null && ((before.content && !durable) || before.version.compareTo(intent.version()) >= 0);
    }

    /// Whether these intents may be logged before others have gone.
    ///
    /// @param intentsToLog their versions and bytes
    boolean hasRoomFor(Map<ObjectVersion, Integer> intentsToLog) {
        synchronized (lock) {
            return logged.size() + intentsToLog.size() <= MOST && loggedBytes + bytes(intentsToLog) <= MOST_BYTES;
        }
    }

    private static long bytes(Map<ObjectVersion, Integer> intents) {
        return intents.values().stream().mapToLong(Integer::longValue).sum();
    }

    /// To be told of these intents before they are logged, or before open ones are committed.
    void logged(Map<ObjectVersion, Integer> intentsToLog) {
        synchronized (lock) {
            logged.putAll(intentsToLog);
            loggedBytes += bytes(intentsToLog);
        }
    }

    boolean isLogged(ObjectVersion version) {
        synchronized (lock) {
            return logged.containsKey(version);
        }
    }

    /// This one is logged no more.
    void gone(Intent intent) {
        synchronized (lock) {
            loggedBytes -= Objects.requireNonNull(logged.remove(intent.version()));
        }
    }

    /// From now on the key has an intent that is not settled; to be followed by [#add].
    void open(Intent done) {
        boolean content = done instanceof Intent.Put put && put.content().isPresent();
        open.merge(done.name(), new Open(done.version(), content), Open::and);
    }

    /// @param changed the folders that they changed
    void add(List<Intent> done, Set<String> changed) {
        synchronized (lock) {
            intents.addAll(done);
            folders.addAll(changed);
        }
    }

    /// How many are logged.
    int count() {
        synchronized (lock) {
            return logged.size();
        }
    }

    /// Makes what was changed so far durable, and lets the intents go. Returns when those of all earlier commits have.
    ///
    /// @return how many went
    int settle() throws IOException {
        synchronized (settling) {
            requireSound();
            try {
                return settleAll();
            } catch (IOException failure) {
                failed = Optional.of(failure);
                throw failure;
            }
        }
    }

    /// A sync that failed must not be tried again: the kernel may have forgotten what it was for. The intents stay, and
    /// nothing may follow them before a start has done them again.
    void requireSound() throws IOException {
        if (failed.isPresent()) {
            throw new IOException("an earlier sync failed", failed.get());
        }
    }

    private int settleAll() throws IOException {
        List<Intent> done;
        Set<String> changed;
        synchronized (lock) {
            done = intents;
            changed = folders;
            intents = new ArrayList<>();
            folders = new TreeSet<>();
        }
        if (done.isEmpty()) {
            return 0;
        }
        boolean content = open.values().stream().anyMatch(Open::content);
        if (content) {
            files.syncAll();
        } else {
            places.sync(changed);
        }
        var gone = new IndexBatch();
        done.forEach(intent -> gone.delete(Table.INTENTS, intent.indexKey()));
        index.write(gone, content); // a later change that is not synced must not meet them again
        for (var intent : done) {
            open.computeIfPresent(
                    intent.name(), (_, newest) -> newest.version.equals(intent.version()) ? null : newest);
            gone(intent);
        }
        return done.size();
    }
}
