package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.shards.ShardIndex;
import dev.sluice.targetnode.storage.shards.ShardSamples;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The indexes of the shards on a drive, a file each, named by the shard's version. They are made of the shards, so
/// they are not synced, not moved, and made again where one is missing or damaged. Which there are is known, so that
/// the end of a version without one costs nothing.
public final class ShardFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ShardFiles.class);
    private static final int PIECE = 256 << 10;

    private final DriveFiles files;
    private final Set<ObjectVersion> known = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<ObjectVersion> ended = new ConcurrentLinkedQueue<>();
    private final List<ObjectVersion> ending = new ArrayList<>(); // of whoever fulfils commits

    ShardFiles(DriveFiles files) {
        this.files = files;
    }

    /// Once, before anything else.
    void load() throws IOException {
        FolderWalk.each(files, Layout.SHARDS, name -> {
            var version = ObjectVersion.ofId(name);
            if (version.isPresent()) {
                known.add(version.get());
            } else if (!name.endsWith("/")) {
                files.delete(Layout.SHARDS + "/" + name);
            }
        });
    }

    /// The same, once what the index has of the drive's rows says so ([#endAll]): whoever keeps an index looks there.
    void ending(ObjectVersion version) {
        ending.add(version);
    }

    void endAll() {
        ending.forEach(this::ended);
        ending.clear();
    }

    /// Nobody reads this version any more, or soon nobody will: its index goes soon. Never blocks.
    public void ended(ObjectVersion version) {
        if (known.remove(version)) {
            ended.add(version);
        }
    }

    /// @return whether there is more
    boolean purge(int atMost) throws IOException {
        for (int i = 0; i < atMost; i++) {
            var version = ended.poll();
            if (version == null) {
                return false;
            }
            files.delete(Layout.shard(version));
        }
        return !ended.isEmpty();
    }

    /// @param size of the shard, in bytes
    /// @return empty when there is no index, or none that is whole and the shard's
    public Optional<ShardSamples> find(ObjectVersion version, ObjectKey shard, long size) throws IOException {
        if (!known.contains(version)) {
            return Optional.empty();
        }
        try (var file = files.open(Layout.shard(version))) {
            return ShardIndex.samples(file::read, shard, size);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException unreadable) {
            LOG.warn("the index {} of '{}' cannot be read: it is made again", version.id(), shard.key(), unreadable);
            ended(version);
            return Optional.empty();
        }
    }

    /// Keeps an index, instead of one that is there. The caller looks afterwards whether the version is still there,
    /// and if it is not says so ([#ended]).
    ///
    /// @param index its parts, one after the other
    public void keep(ObjectVersion version, List<ByteBuffer> index) throws IOException {
        var path = Layout.shard(version);
        files.createFolders(Layout.SHARDS);
        files.delete(path);
        boolean kept = false;
        try (var file = files.create(path)) {
            known.add(version);
            long at = 0;
            for (var part : index) {
                at = write(file, at, part);
            }
            kept = true;
        } finally {
            if (!kept) {
                ended(version);
            }
        }
    }

    /// In pieces, for each takes memory outside the heap.
    private static long write(DriveFile file, long offset, ByteBuffer part) throws IOException {
        long at = offset;
        for (int done = 0; done < part.limit(); done += PIECE) {
            var piece = part.slice(done, Math.min(PIECE, part.limit() - done));
            int length = piece.remaining();
            file.write(at, piece);
            at += length;
        }
        return at;
    }

    /// For [dev.sluice.targetnode.storage.scrub]: the shard that a file of the folder says it is of.
    ///
    /// @return empty when it cannot be read
    public Optional<ObjectKey> owner(ObjectVersion version) {
        try (var file = files.open(Layout.shard(version))) {
            return ShardIndex.owner(file::read);
        } catch (IOException gone) {
            LOG.debug("the index {} cannot be read", version.id(), gone);
            return Optional.empty();
        }
    }
}
