package dev.sluice.targetnode.storage.copies;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveFile;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/// The memory that objects pass through from drive to drive: a bounded number of pairs of blocks. Who finds
/// none waits.
final class Blocks {
    private final ArrayBlockingQueue<Pair> free;

    Blocks(int pairs) {
        free = new ArrayBlockingQueue<>(pairs);
        for (int i = 0; i < pairs; i++) {
            free.add(new Pair());
        }
    }

    /// Two blocks, used in turn; to be given back.
    final class Pair implements AutoCloseable {
        private ByteBuffer[] buffers = {};
        private int turn;

        ByteBuffer next() {
            if (buffers.length == 0) {
                buffers = new ByteBuffer[] {
                    DriveFile.uncachedBuffer(BlockSums.BLOCK), DriveFile.uncachedBuffer(BlockSums.BLOCK)
                };
            }
            turn ^= 1;
            return buffers[turn];
        }

        @Override
        public void close() {
            free.add(this);
        }
    }

    Pair take() {
        return Await.interruptible(free::take);
    }
}
