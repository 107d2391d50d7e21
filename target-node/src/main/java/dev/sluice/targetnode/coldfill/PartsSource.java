package dev.sluice.targetnode.coldfill;

import dev.sluice.common.http.ByteSource;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.multipart.Part;
import dev.sluice.targetnode.storage.multipart.UploadState;
import java.nio.ByteBuffer;
import java.util.List;

/// The bytes of an upload's parts, one after the other, for the cloud.
final class PartsSource implements ByteSource {
    private static final int READ = 256 << 10;

    private final Multipart uploads;
    private final UploadState upload;
    private final List<Part> parts;
    private final ByteBuffer buffer = ByteBuffer.allocate(READ);
    private int part;
    private long at;

    PartsSource(Multipart uploads, UploadState upload, List<Part> parts) {
        this.uploads = uploads;
        this.upload = upload;
        this.parts = parts;
    }

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
        buffer.limit((int) Math.min(READ, parts.get(part).size() - at));
        uploads.readPart(upload, parts.get(part), at, buffer);
        at += buffer.flip().remaining();
        return buffer;
    }

    @Override
    public void close() {}
}
