package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.PartRecord;
import dev.sluice.targetnode.storage.record.UnknownFormatException;
import dev.sluice.targetnode.storage.record.UploadState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Enters the multipart uploads that had not ended, from their folders, into an index made anew.
///
/// A part counts when its record is sound and its bytes are those of the record; all bytes of unfinished uploads are
/// read for that. Of a number with a bad record nothing counts, for an older part of the number may be there that was
/// replaced: a client that misses a part sends it again. What does not count stays in the folder until the upload
/// ends. A shared file that a Complete has made whole, with the object's record, becomes the object.
///
/// A folder that does not say whose it is is put aside, not deleted.
final class RebuiltUploads {
    private static final Logger LOG = LoggerFactory.getLogger(RebuiltUploads.class);
    private static final long LONGEST_RECORD = 1 << 20;
    private static final int PIECE = 256 << 10;

    private final Contents contents;
    private final DriveFiles files;
    private final DriveIndex index;
    private final ByteBuffer buffer = ByteBuffer.allocate(PIECE);
    private long newest;

    RebuiltUploads(Contents contents) {
        this.contents = contents;
        this.files = contents.files();
        this.index = contents.index();
    }

    /// @return the greatest sequence of an own version that was found
    long run() throws IOException {
        FolderWalk.each(files, Layout.UPLOADS, name -> {
            if (name.endsWith("/")) {
                var id = name.substring(0, name.length() - 1);
                if (!Layout.isPutAside(id) && !FolderWalk.isEmpty(files, Layout.upload(id))) {
                    look(id);
                }
            }
        });
        return newest;
    }

    private void look(String id) throws IOException {
        var upload = upload(id);
        if (upload.isEmpty()) {
            putAside(Layout.upload(id));
            return;
        }
        if (files.isFile(shared(id)) && isWhole(upload.get())) {
            var entry = ObjectEntry.of(contents.head(shared(id)), false);
            var put = new Intent.Put(
                    upload.get().bucket(), upload.get().key(), shared(id), entry, new IndexBatch(), Optional.empty());
            index.write(new IndexBatch().put(Table.INTENTS, put.indexKey(), put.encode()), false);
        } else {
            enter(upload.get());
        }
    }

    private static String shared(String id) {
        return Layout.upload(id) + "/" + Part.SHARED;
    }

    private Optional<UploadState> upload(String id) throws IOException {
        var path = Layout.upload(id) + "/" + UploadState.FILE;
        try (var file = files.open(path)) {
            long size = file.identity().size();
            if (size > LONGEST_RECORD) {
                throw new DamagedRecordException("it has " + size + " bytes");
            }
            var bytes = ByteBuffer.allocate((int) size);
            file.read(0, bytes);
            var upload = UploadState.decode(bytes.array());
            if (!upload.uploadId().equals(id)) {
                throw new DamagedRecordException("it is that of " + upload.uploadId());
            }
            return Optional.of(upload);
        } catch (UnknownFormatException newer) {
            throw newer;
        } catch (IOException unreadable) {
            LOG.error("{} cannot be read ({}): what upload this was cannot be known", path, unreadable.toString());
            return Optional.empty();
        }
    }

    private void putAside(String folder) throws IOException {
        LOG.error("{} is put aside as {}", folder, Layout.putAside(folder));
        files.rename(folder, Layout.putAside(folder));
        files.syncFolder(Layout.UPLOADS);
    }

    // ---- parts

    private void enter(UploadState upload) throws IOException {
        var id = upload.uploadId();
        var batch = new IndexBatch()
                .put(Table.UPLOADS, UploadKeys.upload(upload.bucket().id(), upload.key(), id), upload.encode());
        var records = new TreeMap<Integer, PartRecord>();
        var unknown = new HashSet<Integer>();
        FolderWalk.each(files, Layout.upload(id), name -> {
            if (Part.numberOf(name).isPresent()) {
                read(id, name, unknown)
                        .ifPresent(found -> records.merge(
                                found.number(), found, (a, b) -> a.version().compareTo(b.version()) > 0 ? a : b));
            }
        });
        records.keySet().removeAll(unknown);
        for (var record : records.values()) {
            newest = Math.max(newest, record.version().ownSequence());
            proven(record).ifPresent(part -> batch.put(Table.PARTS, UploadKeys.part(id, part.number()), part.encode()));
        }
        index.write(batch, false);
        LOG.info("the upload {} of {} was found again", id, upload.key());
    }

    /// @param unknown gets the number of a part whose record is there but bad
    /// @return empty also for a part that was never whole, which has no record
    private Optional<PartRecord> read(String id, String name, Set<Integer> unknown) throws IOException {
        var path = Layout.upload(id) + "/" + name;
        try {
            var attribute = files.attribute(path);
            if (attribute.isEmpty()) {
                return Optional.empty();
            }
            var record = PartRecord.decode(attribute.get());
            if (!record.uploadId().equals(id) || !name.equals(Part.recordFile(record.number(), record.file()))) {
                throw new DamagedRecordException("it is another part's");
            }
            return Optional.of(record);
        } catch (UnknownFormatException newer) {
            throw newer;
        } catch (IOException bad) {
            LOG.error("the record of {} cannot be read ({}): the part is left out", path, bad.toString());
            Part.numberOf(name).ifPresent(unknown::add);
            return Optional.empty();
        }
    }

    private Optional<Part> proven(PartRecord record) {
        var path = Layout.upload(record.uploadId()) + "/" + record.file();
        try {
            var part = record.provenBy(sums(path, record.offset(), record.size()));
            if (part.isEmpty()) {
                LOG.error("part {} in {} is not what was uploaded: it is left out", record.number(), path);
            }
            return part;
        } catch (IOException unreadable) {
            LOG.error(
                    "part {} in {} cannot be read ({}): it is left out", record.number(), path, unreadable.toString());
            return Optional.empty();
        }
    }

    private BlockSums sums(String path, long offset, long size) throws IOException {
        var summer = new BlockSummer();
        try (var file = files.open(path)) {
            for (long at = 0; at < size; at += buffer.limit()) {
                buffer.clear().limit((int) Math.min(PIECE, size - at));
                file.read(offset + at, buffer);
                if (buffer.hasRemaining()) {
                    throw new DamagedRecordException("it is cut off");
                }
                summer.update(at, buffer.flip());
            }
        }
        return summer.finish(size);
    }

    // ---- an upload that was completed, all but the name

    private boolean isWhole(UploadState upload) throws IOException {
        var path = shared(upload.uploadId());
        try {
            if (files.attribute(path).isEmpty()) {
                return false;
            }
            var record = contents.record(path);
            newest = Math.max(newest, record.version().ownSequence());
            return record.bucketId() == upload.bucket().id()
                    && record.key().equals(upload.key())
                    && record.size() == files.size(path)
                    && !isReplaced(record)
                    && sums(path, 0, record.size()).equals(record.blocks());
        } catch (UnknownFormatException newer) {
            throw newer;
        } catch (IOException bad) {
            LOG.warn("the record of {} does not count: {}", path, bad.toString());
            return false;
        }
    }

    private boolean isReplaced(ObjectRecord record) throws IOException {
        var known = contents.entry(record.bucketId(), record.key());
        return known.isPresent() && known.get().version().compareTo(record.version()) > 0;
    }
}
