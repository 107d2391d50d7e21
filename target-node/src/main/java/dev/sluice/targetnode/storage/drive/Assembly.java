package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.record.Part;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/// Makes one file of the parts. Parts that are in their place already are not touched, others are moved there; only
/// when the parts have no common size, or some of the shared file is not wanted, are all written again. Bytes are
/// compared with their sums whenever they are read. May be done again after a crash: what the parts say stays true
/// until the commit.
public final class Assembly {
    /// @param path of the file that holds the object's bytes, open as `file`
    public record Result(String path, DriveFile file, long size, BlockSums blocks) {}

    private static final int PIECE = 256 << 10;

    private final DriveFiles files;
    private final String folder;
    private final List<Part> wanted;
    private final long size;
    private final BlockSummer summer = new BlockSummer();
    private final ByteBuffer buffer = ByteBuffer.allocate(PIECE);

    Assembly(DriveFiles files, String uploadId, List<Part> wanted) {
        this.files = files;
        this.folder = Layout.upload(uploadId);
        this.wanted = wanted;
        this.size = wanted.stream().mapToLong(Part::size).sum();
    }

    /// @param present all parts there are
    /// @param quiet whether nobody writes to the shared file: what becomes the object must not change any more
    /// @param spare a path for a new file
    Result run(List<Part> present, boolean quiet, String spare) throws IOException {
        return quiet && canStay(present) ? inPlace() : anew(spare);
    }

    private boolean canStay(List<Part> present) {
        long unit = wanted.getFirst().size();
        long end = 0;
        for (int i = 0; i < wanted.size(); i++) {
            var part = wanted.get(i);
            boolean last = i == wanted.size() - 1;
            if (part.number() != i + 1
                    || (last ? part.size() > unit : part.size() != unit)
                    || (part.isInPlace() && part.offset() != end)) {
                return false;
            }
            end += part.size();
        }
        // a place beyond the end, or of another size, may hold a part that is not wanted now but still counts
        return wanted.stream().anyMatch(Part::isInPlace)
                && present.stream().noneMatch(part -> part.isInPlace() && part.number() > wanted.size());
    }

    private Result inPlace() throws IOException {
        boolean wholeBlocks = wanted.getFirst().size() % BlockSums.BLOCK == 0 || wanted.size() == 1;
        var path = folder + "/" + Part.SHARED;
        var target = files.edit(path);
        boolean done = false;
        try {
            long position = 0;
            for (var part : wanted) {
                if (!part.isInPlace() || !wholeBlocks) {
                    pass(part, target, position, !part.isInPlace());
                }
                position += part.size();
            }
            target.truncate(size);
            done = true;
            var blocks = wholeBlocks
                    ? BlockSums.joined(wanted.stream().map(Part::blocks).toList())
                    : summer.finish(size);
            return new Result(path, target, size, blocks);
        } finally {
            if (!done) {
                target.close();
            }
        }
    }

    private Result anew(String path) throws IOException {
        var target = files.create(path);
        boolean done = false;
        try {
            long position = 0;
            for (var part : wanted) {
                pass(part, target, position, true);
                position += part.size();
            }
            done = true;
            return new Result(path, target, size, summer.finish(size));
        } finally {
            if (!done) {
                target.close();
                files.delete(path);
            }
        }
    }

    private void pass(Part part, DriveFile target, long position, boolean write) throws IOException {
        try (var source = files.open(folder + "/" + part.file())) {
            var crc = new CRC32C();
            for (long done = 0; done < part.size(); done += buffer.limit()) {
                long toBlockEnd = BlockSums.BLOCK - done % BlockSums.BLOCK;
                buffer.clear().limit((int) Math.min(Math.min(PIECE, part.size() - done), toBlockEnd));
                source.read(part.offset() + done, buffer);
                require(!buffer.hasRemaining(), part);
                crc.update(buffer.flip());
                long read = done + buffer.limit();
                if (read % BlockSums.BLOCK == 0 || read == part.size()) {
                    require((int) crc.getValue() == part.blocks().get((int) (done / BlockSums.BLOCK)), part);
                    crc.reset();
                }
                summer.update(position + done, buffer.rewind());
                if (write) {
                    target.write(position + done, buffer);
                }
            }
        }
    }

    private static void require(boolean good, Part part) {
        if (!good) {
            throw new StoreException.Damaged("part " + part.number() + " is not what was uploaded");
        }
    }
}
