package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The names of the buckets that something was written to here, one empty file each. An index that is made anew knows
/// from them whose a file is that has lost its record, or has not come to its place.
final class NamedBuckets {
    private static final Logger LOG = LoggerFactory.getLogger(NamedBuckets.class);

    private final DriveFiles files;
    private final Set<Long> noted = ConcurrentHashMap.newKeySet();
    private volatile boolean unnoted; // since the drive was opened, a bucket that has files here

    NamedBuckets(DriveFiles files) {
        this.files = files;
    }

    /// Where a bucket was dropped while this drive was away, and made anew, both.
    void each(Consumer<BucketRef> visitor) throws IOException {
        FolderWalk.each(files, Layout.BUCKETS, name -> Layout.named(name).ifPresent(visitor));
    }

    /// Also those whose sync a crash prevented.
    void load() throws IOException {
        each(bucket -> noted.add(bucket.id()));
        if (!noted.isEmpty()) {
            files.syncFolder(Layout.BUCKETS);
        }
    }

    /// Once for each bucket, before the first change of it is decided. What is to be stored does not fail for a name
    /// that cannot be noted.
    void note(List<Prepared> group) throws IOException {
        boolean any = false;
        for (var each : group) {
            if (each.intent().orElse(null) instanceof Intent.Put put
                    && !noted.contains(put.bucket().id())) {
                any |= isNoted(put.bucket());
            }
        }
        if (any) {
            files.syncFolder(Layout.BUCKETS);
        }
    }

    private boolean isNoted(BucketRef bucket) {
        var path = Layout.naming(bucket);
        try {
            if (!files.isFile(path)) { // an attempt that failed may have left it
                files.create(path).close();
            }
            return noted.add(bucket.id());
        } catch (IOException failure) {
            LOG.warn("the name of bucket {} is not noted; its next write tries again", bucket.name(), failure);
            unnoted = true;
            return false;
        }
    }

    /// Whether another bucket of the same name has, or may have, written here: their plain files share a folder.
    boolean isNameOfAnother(BucketRef bucket) throws IOException {
        var others = new AtomicBoolean();
        each(other -> {
            if (other.name().equals(bucket.name()) && other.id() != bucket.id()) {
                others.set(true);
            }
        });
        return others.get() || unnoted;
    }

    void forget(BucketRef bucket) throws IOException {
        files.delete(Layout.naming(bucket));
        noted.remove(bucket.id());
    }
}
