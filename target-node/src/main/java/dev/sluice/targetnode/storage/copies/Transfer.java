package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter.Step;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// One object on its way from a drive to others: into work files there, each block compared with its sum before it is
/// written. The copies are the same version. Memory: two blocks, or a small object.
final class Transfer implements AutoCloseable {
    private final BucketRef bucket;
    private final ObjectRecord record;
    private final List<Target> targets = new ArrayList<>();
    private final Blocks blocks;
    private final int smallLimit;
    private List<Step> steps = List.of();
    private boolean handedOver;

    /// @param file empty as long as nothing was written: a small object's is made from its intent
    private record Target(Drive drive, String work, Optional<DriveFile> file) {
        DriveFile opened() {
            return file.orElseThrow();
        }
    }

    /// @param work a name for a work file on each of the targets
    Transfer(
            BucketRef bucket,
            ObjectRecord record,
            List<Drive> targets,
            ObjectVersion work,
            Blocks blocks,
            int smallLimit) {
        this.bucket = bucket;
        this.record = record;
        this.blocks = blocks;
        this.smallLimit = smallLimit;
        for (var drive : targets) {
            drive.space().take(record.size());
            this.targets.add(new Target(drive, Layout.work(work), Optional.empty()));
        }
    }

    /// Copies the bytes and makes the work files ready to become the object.
    ///
    /// @param file of the object, on the source
    /// @throws StoreException.Damaged when they are not the ones that were written
    void run(Drive source, DriveFile file) {
        if (record.size() <= smallLimit) {
            small(source, file);
            return;
        }
        openAll();
        try (var pair = blocks.take()) {
            var writing = CompletableFuture.<Void>completedFuture(null);
            for (int block = 0; block < record.blocks().count(); block++) {
                var number = block;
                long offset = (long) block * BlockSums.BLOCK;
                var bytes = pair.next();
                try {
                    source.call(() -> read(file, number, bytes));
                } finally {
                    Await.whole(writing); // it may be using the other buffer
                }
                writing = write(offset, bytes);
            }
            Await.whole(writing);
        }
        prepareFiles();
    }

    private ByteBuffer read(DriveFile file, int block, ByteBuffer into) throws IOException {
        int length = (int) Math.min(BlockSums.BLOCK, record.size() - (long) block * BlockSums.BLOCK);
        var bytes = DriveFile.uncached(file, (long) block * BlockSums.BLOCK, length, into);
        require(block, bytes, length);
        return bytes;
    }

    private void require(int block, ByteBuffer bytes, int length) {
        if (bytes.remaining() != length || !record.blocks().matches(block, bytes)) {
            throw new StoreException.Damaged(
                    "'%s' does not match the checksum of block %d".formatted(record.key(), block));
        }
    }

    private CompletableFuture<Void> write(long offset, ByteBuffer bytes) {
        return CompletableFuture.allOf(targets.stream()
                .map(target -> target.drive.startStep(() -> target.opened().writeUncached(offset, bytes.duplicate())))
                .toArray(CompletableFuture[]::new));
    }

    private void small(Drive source, DriveFile file) {
        var data = new byte[(int) record.size()];
        source.call(() -> {
            var bytes = ByteBuffer.wrap(data);
            file.read(0, bytes);
            bytes.flip();
            if (data.length > 0) {
                require(0, bytes, data.length);
            }
            return bytes;
        });
        var inMemory = targets.stream()
                .flatMap(target -> Prepared.smallPut(
                        bucket,
                        target.work,
                        record,
                        data,
                        target.drive.accessTimes().stored(record))
                        .map(change -> new Step(target.drive, change))
                        .stream())
                .toList();
        if (inMemory.size() == targets.size()) {
            steps = inMemory;
            return;
        }
        openAll();
        Await.whole(write(0, ByteBuffer.wrap(data)));
        prepareFiles();
    }

    private void openAll() {
        targets.replaceAll(target -> new Target(
                target.drive,
                target.work,
                Optional.of(target.drive.call(() -> target.drive.store().stage(target.work)))));
    }

    private void prepareFiles() {
        var started = targets.stream()
                .map(target -> target.drive.start(() -> new Step(
                        target.drive,
                        target.drive
                                .store()
                                .preparePut(
                                        bucket,
                                        target.work,
                                        target.opened(),
                                        record,
                                        target.drive.accessTimes().stored(record),
                                        true))))
                .toList();
        steps = started.stream().map(Await::whole).toList();
    }

    /// What makes the work files the object, to be committed: they are the drives' from here on.
    List<Step> handOver() {
        handedOver = true;
        return steps;
    }

    @Override
    public void close() {
        targets.forEach(target -> target.file.ifPresent(target.drive::closeLater));
        if (!handedOver) {
            var gone = targets.stream()
                    .filter(target -> target.file.isPresent())
                    .map(target ->
                            target.drive.startStep(() -> target.drive.store().discard(target.work)))
                    .toList();
            gone.forEach(Await::whole);
        }
    }
}
