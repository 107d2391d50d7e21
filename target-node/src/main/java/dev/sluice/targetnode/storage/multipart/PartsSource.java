package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import java.nio.ByteBuffer;
import java.util.List;

/// The bytes of an upload's parts, one after the other. Each block is compared with its sum before it is
/// given out: a part may have lain on the drive for days.
public final class PartsSource implements ByteSource {
    private final Multipart uploads;
    private final UploadState upload;
    private final List<Part> parts;
    private final ByteBuffer buffer = ByteBuffer.allocate(BlockSums.BLOCK);
    private int part;
    private long at;

    public PartsSource(Multipart uploads, UploadState upload, List<Part> parts) {
        this.uploads = uploads;
        this.upload = upload;
        this.parts = parts;
    }

    /// @throws StoreException.Damaged when the bytes on the drive are not the ones that were uploaded
    @Override
    public ByteBuffer next() {
        while (part < parts.size() && at == parts.get(part).size()) {
            part++;
            at = 0;
        }
        buffer.clear();
        if (part == parts.size()) {
            return buffer.limit(0);
        }
        var current = parts.get(part);
        buffer.limit((int) Math.min(BlockSums.BLOCK, current.size() - at));
        uploads.readPart(upload, current, at, buffer);
        if (!current.blocks().matches(Math.toIntExact(at / BlockSums.BLOCK), buffer.flip())) {
            throw new StoreException.Damaged(
                    "Part %d on the drive is not what was uploaded".formatted(current.number()));
        }
        at += buffer.remaining();
        return buffer;
    }

    @Override
    public void close() {}
}
