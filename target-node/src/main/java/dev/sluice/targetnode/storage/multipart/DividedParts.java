package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.DriveUploads;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.FromParts;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.slots.CommitExtras;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The object of an upload's parts where members have slices: it is written anew from them, and its change ends the
/// upload. The parts stay as they are until that is decided: a Complete that is refused may come again.
final class DividedParts implements CommitExtras {
    private final OpenUpload open;
    private final List<Part> parts;
    private final OpenUpload.Hold hold;
    private boolean begun;

    /// @param hold of the upload; let go when it is decided, if it is begun
    DividedParts(OpenUpload open, List<Part> parts, OpenUpload.Hold hold) {
        this.open = open;
        this.parts = parts;
        this.hold = hold;
    }

    long size() {
        return parts.stream().mapToLong(Part::size).sum();
    }

    /// The bytes of all parts, one block after the other, each compared with its sum. Blocks.
    ///
    /// @throws StoreException.Damaged when they are not what was uploaded
    void each(Consumer<ByteBuffer> taker) {
        var block = ByteBuffer.allocateDirect(BlockSums.BLOCK);
        for (var part : parts) {
            for (int number = 0; number < part.blocks().count(); number++) {
                long from = (long) number * BlockSums.BLOCK;
                int length = (int) Math.min(BlockSums.BLOCK, part.size() - from);
                open.drive()
                        .patiently(() -> open.drive().start(() -> {
                            open.uploads()
                                    .readPart(
                                            open.upload(),
                                            part,
                                            from,
                                            block.clear().limit(length));
                            return block;
                        }));
                boolean whole = !block.hasRemaining();
                if (!whole || !part.blocks().matches(number, block.flip())) {
                    throw new StoreException.Damaged("part " + part.number() + " is not what was uploaded");
                }
                taker.accept(block);
            }
        }
    }

    /// @param checksums of the whole object, to keep
    CommitTerms terms(Map<ChecksumAlgorithm, String> checksums, WriteCheck check) {
        var upload = open.upload();
        return new CommitTerms(
                CompletedParts.etag(parts),
                checksums,
                upload.headers(),
                upload.userMetadata(),
                Optional.empty(),
                Optional.empty(),
                check);
    }

    /// An upload of another home is over.
    @Override
    public void require(SlotWriter.Serving serving) {
        open.requireHere(serving.uploads());
    }

    @Override
    public Optional<FromParts> parts() {
        return Optional.of(FromParts.of(open.upload(), parts));
    }

    @Override
    public IndexBatch with(ObjectRecord record) {
        return DriveUploads.ended(open.upload(), record);
    }

    @Override
    public synchronized void begun() {
        begun = true;
    }

    synchronized boolean hasBegun() {
        return begun;
    }

    @Override
    public void decided() {
        hold.close();
    }
}
