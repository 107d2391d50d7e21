package dev.sluice.targetnode.storage.hotset;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.FileIdentity;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;

/// An open file with its record, and which of its blocks are known to be good; the bytes themselves when it is small
/// and read again and again. Shared by the hot set and all who send from it; closed when the last of them lets go.
final class HotObject {
    /// Objects up to this size may be in memory; longer ones cost less when the kernel sends them (decision 0023).
    private static final int SMALL = 64 << 10;

    private static final long NEVER_ASKED = Long.MIN_VALUE;

    private static final int PIECE = 256 << 10;
    private static final int ATTEMPTS = 4;
    /// What is in memory stays good whatever happens to its file, which is looked at only so often then.
    private static final long LOOK_NANOS = 100_000_000;
    private static final ThreadLocal<ByteBuffer> BUFFER =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

    /// Which blocks were good, in which state of the file, since when.
    private record Verified(FileIdentity identity, long since, AtomicLongArray bits) {
        static Verified none(FileIdentity identity, int blocks) {
            return new Verified(identity, System.nanoTime(), new AtomicLongArray((blocks + 63) / 64));
        }

        boolean has(int block) {
            return (bits.get(block >> 6) & 1L << (block & 63)) != 0;
        }

        void remove(int block) {
            bits.accumulateAndGet(block >> 6, ~(1L << (block & 63)), (a, b) -> a & b);
        }

        void add(int block) {
            bits.accumulateAndGet(block >> 6, 1L << (block & 63), (a, b) -> a | b);
        }
    }

    private final ObjectRecord record;
    private final long size;
    private final BlockSums sums;
    private final DriveFile file;
    private final Drive drive;
    private final long maxAgeNanos;
    private final MemoryCache memory;
    private final Runnable whenDamaged;
    private final AtomicInteger users = new AtomicInteger(1);
    private final AtomicInteger reads = new AtomicInteger();
    private volatile Verified verified;
    private volatile Optional<ByteBuffer> bytes = Optional.empty();
    private volatile long lookedAt = System.nanoTime();
    private volatile long readInMinute;
    private volatile long agreedMillis = NEVER_ASKED;

    HotObject(
            ObjectRecord record, DriveFile file, Drive drive, Duration maxAge, MemoryCache memory, Runnable whenDamaged)
            throws IOException {
        this.record = record;
        this.size = record.fileSize();
        this.sums = record.fileSums();
        this.file = file;
        this.drive = drive;
        this.maxAgeNanos = maxAge.toNanos();
        this.memory = memory;
        this.whenDamaged = whenDamaged;
        this.verified = Verified.none(file.identity(), sums.count());
    }

    ObjectRecord record() {
        return record;
    }

    DriveFile file() {
        return file;
    }

    Drive drive() {
        return drive;
    }

    Runnable whenDamaged() {
        return whenDamaged;
    }

    Optional<ByteBuffer> bytes() {
        return bytes.map(ByteBuffer::duplicate);
    }

    /// Somebody reads it: a comparison, and once a minute a word to the drive. Never blocks.
    void read(ObjectKey key) {
        var times = drive.accessTimes();
        long minute = times.minute();
        if (minute != readInMinute && record.backendVersion().isPresent()) {
            readInMinute = minute;
            times.read(key, minute);
        }
    }

    /// When the cloud last said that it has the same; empty when that was not looked up yet. Never blocks.
    Optional<Long> agreedMillis() {
        long millis = agreedMillis;
        return millis == NEVER_ASKED ? Optional.empty() : Optional.of(millis);
    }

    synchronized void agreed(long millis) {
        agreedMillis = millis;
    }

    /// What was looked up, unless more is known by now.
    synchronized void agreedAtLeast(long millis) {
        if (agreedMillis == NEVER_ASKED) {
            agreedMillis = millis;
        }
    }

    /// @return whether it could still be kept open
    boolean retain() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            bytes.ifPresent(content -> memory.give(content.capacity()));
            drive.closeLater(file);
        }
    }

    /// Whether what it would serve is what was verified: the file is as it was then, or its bytes are in memory, and
    /// the file was so a moment ago. Never blocks.
    boolean isGood() {
        if (bytes.isEmpty()) {
            return isUnchanged();
        }
        long now = System.nanoTime();
        if (now - lookedAt < LOOK_NANOS) {
            return true;
        }
        lookedAt = now;
        return isUnchanged();
    }

    private boolean isUnchanged() {
        try {
            return file.identity().equals(verified.identity);
        } catch (IOException _) {
            return false;
        }
    }

    /// Whether these bytes are good and need no drive. Never blocks.
    boolean ready(long offset, int length) {
        return isUnchanged() && isVerified(offset, length);
    }

    /// Whether these bytes were good when the file was as it was then, and have been in memory since.
    boolean isVerified(long offset, int length) {
        return areKnown(offset, length) && file.isCached(offset, length);
    }

    private boolean areKnown(long offset, int length) {
        var now = verified;
        if (System.nanoTime() - now.since > maxAgeNanos) {
            return false;
        }
        for (int block = block(offset); block <= block(offset + Math.max(1, length) - 1); block++) {
            if (block < sums.count() && !now.has(block)) {
                return false;
            }
        }
        return true;
    }

    private static int block(long offset) {
        return Math.toIntExact(offset / BlockSums.BLOCK);
    }

    /// Fills a direct buffer with bytes that are good and in memory. Never blocks. That they are known to be good is
    /// asked after they were read: whoever brings a block from the drive again forgets it before.
    ///
    /// @return false when they are not, or no longer: the drive must read them
    boolean copy(long offset, ByteBuffer into) {
        int start = into.position();
        int length = into.remaining();
        if (!file.readAtOnce(offset, into)) {
            forget(offset, length);
            return false;
        }
        if (!areKnown(offset, length)) {
            into.position(start);
            return false;
        }
        return true;
    }

    /// Fills the buffer with bytes that are compared as they are read, whatever is in memory. On a drive thread.
    ///
    /// @throws StoreException.Damaged when they are not the ones that were written
    void readGood(long offset, ByteBuffer into) throws IOException {
        long end = offset + into.remaining();
        forgetUnlessCached(offset, into.remaining());
        var now = current();
        for (int block = block(offset); into.hasRemaining(); block++) {
            requireGood(block, sum(block, new Part(offset, end, into)));
            now.add(block);
        }
    }

    /// Reads the blocks that these bytes lie in, unless they are known to be good and in memory, and compares them.
    CompletableFuture<Void> prepare(long offset, int length) {
        return ready(offset, length)
                ? CompletableFuture.completedFuture(null)
                : drive.startStep(() -> {
                    forgetUnlessCached(offset, length);
                    verify(offset, length);
                });
    }

    /// What has left the page cache comes from the drive again, and may be bad this time.
    private void forgetUnlessCached(long offset, int length) {
        if (!file.isCached(offset, length)) {
            forget(offset, length);
        }
    }

    private void forget(long offset, int length) {
        var now = verified;
        for (int block = block(offset); block <= block(offset + length - 1); block++) {
            now.remove(block);
        }
    }

    /// On a drive thread. Begins again when the file is touched meanwhile: that our own store replaces or deletes
    /// the object changes the file's link count, and so its time.
    ///
    /// @throws StoreException.Damaged when the bytes are not the ones that were written
    void verify(long offset, long length) throws IOException {
        int last = Math.min(block(offset + Math.max(1, length) - 1), sums.count() - 1);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var now = current();
            for (int block = block(offset); block <= last; block++) {
                if (!now.has(block)) {
                    requireGood(block, sum(block, Part.NONE));
                    now.add(block);
                }
            }
            if (file.identity().equals(now.identity)) {
                return;
            }
        }
        require(false, "changes while it is read");
    }

    private Verified current() throws IOException {
        var now = verified;
        var identity = file.identity();
        require(identity.size() == size, "has " + identity.size() + " bytes instead of " + size);
        if (!identity.equals(now.identity) || System.nanoTime() - now.since > maxAgeNanos) {
            now = Verified.none(identity, sums.count());
            verified = now;
        }
        return now;
    }

    private void require(boolean good, String what) {
        if (!good) {
            throw new StoreException.Damaged("'%s' on drive %s %s".formatted(record.key(), drive.id(), what));
        }
    }

    private void requireGood(int block, int sum) {
        require(sum == sums.get(block), "does not match the checksum of block " + block);
    }

    /// Which bytes somebody wants beside the sum of their block, and where.
    private record Part(long from, long to, ByteBuffer into) {
        static final Part NONE = new Part(0, 0, ByteBuffer.allocate(0));

        /// @param piece what was read from a position on; not consumed
        void take(long position, ByteBuffer piece) {
            int start = (int) Math.max(0, from - position);
            int end = (int) Math.min(piece.limit(), to - position);
            if (start < end) {
                into.put(piece.slice(start, end - start));
            }
        }
    }

    private int sum(int block, Part wanted) throws IOException {
        var crc = new CRC32C();
        var buffer = BUFFER.get();
        long begin = (long) block * BlockSums.BLOCK;
        long end = Math.min(size, begin + BlockSums.BLOCK);
        file.expectRead(begin, end - begin);
        for (long position = begin; position < end; position += buffer.limit()) {
            buffer.clear().limit((int) Math.min(PIECE, end - position));
            file.read(position, buffer);
            require(!buffer.hasRemaining(), "is shorter than it was");
            wanted.take(position, buffer.flip());
            crc.update(buffer);
        }
        return (int) crc.getValue();
    }

    boolean isSmall() {
        return size <= SMALL;
    }

    /// To be asked at each read: whether the bytes are to be in memory by now. True at the 2nd, 4th, 8th … read, so
    /// that it is tried again where there was no room.
    boolean isToBeKept() {
        if (!isSmall() || bytes.isPresent()) {
            return false;
        }
        int count = reads.incrementAndGet();
        return count > 1 && Integer.bitCount(count) == 1;
    }

    /// Takes a small object's bytes into memory, if there is room. On a drive thread.
    ///
    /// @throws StoreException.Damaged when the bytes are not the ones that were written
    synchronized void keep() throws IOException {
        if (bytes.isPresent() || !memory.take(size)) {
            return;
        }
        try {
            bytes = Optional.of(good());
        } finally {
            if (bytes.isEmpty()) {
                memory.give(size);
            }
        }
    }

    private ByteBuffer good() throws IOException {
        if (size > 0) {
            forgetUnlessCached(0, (int) size);
        }
        current();
        var content = ByteBuffer.allocateDirect((int) size);
        file.read(0, content);
        require(!content.hasRemaining(), "is shorter than it was");
        if (size > 0) {
            require(sums.matches(0, content.flip()), "does not match its checksum");
        }
        return content.rewind().asReadOnlyBuffer();
    }
}
