package dev.sluice.targetnode.storage.shards;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/// Reads a tar file once from its begin to its end, in pieces of any size, and makes the index of its samples and
/// members. Which members there are, what they are called and which of them make a sample is what the Python package
/// says (`read_samples`), which goes by Python's `tarfile`: ustar, pax, GNU long names, sparse files.
///
/// A *group* is a header with those that belong to it and come before it. It is kept until its last header says whether
/// a sample begins with it.
public final class TarScan {
    private static final int BLOCK = TarHeader.LENGTH;
    private static final int LONGEST_EXTENSION = 1 << 20;
    /// Before one member.
    private static final int MOST_EXTENSIONS = 16;

    /// What the next bytes are.
    private enum Within {
        HEADER,
        EXTENSION,
        SPARSE_MAP,
        DATA,
        NOTHING
    }

    private final ObjectKey owner;
    private final long size;
    private final NewIndex index = new NewIndex();
    private final byte[] block = new byte[BLOCK];
    private final CRC32 crc = new CRC32();
    private final ByteArrayOutputStream group = new ByteArrayOutputStream();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private Extensions extensions = new Extensions();
    private Optional<TarHeader> extension = Optional.empty();
    private Optional<ByteBuffer> sample = Optional.empty();
    private Optional<Named> named = Optional.empty();
    private Within within = Within.HEADER;
    private long position;
    private long headerAt;
    private long groupAt;
    private long left;
    private int filled;

    /// @param owner whose index it will be
    /// @param size of the tar file
    public TarScan(ObjectKey owner, long size) {
        this.owner = owner;
        this.size = size;
    }

    /// Takes the next bytes, all that remain in the buffer.
    ///
    /// @throws StoreException NoWholeTar as soon as a header is not one; SampleTooLarge
    public void take(ByteBuffer bytes) {
        while (bytes.hasRemaining() && within != Within.NOTHING) {
            if (within == Within.DATA) {
                pass(bytes);
            } else {
                fill(bytes);
            }
        }
    }

    /// Whether its end was found: what follows is nobody's.
    public boolean isDone() {
        return within == Within.NOTHING;
    }

    private void pass(ByteBuffer bytes) {
        int length = (int) Math.min(left, bytes.remaining());
        var data = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        position += length;
        left -= length;
        if (sample.isPresent()) {
            crc.update(data);
        }
        if (left == 0) {
            expectHeader();
        }
    }

    private void expectHeader() {
        within = Within.HEADER;
        groupAt = position;
    }

    private void fill(ByteBuffer bytes) {
        int length = Math.min(BLOCK - filled, bytes.remaining());
        bytes.get(block, filled, length);
        filled += length;
        position += length;
        if (filled == BLOCK) {
            filled = 0;
            switch (within) {
                case HEADER -> header();
                case EXTENSION -> extension();
                case SPARSE_MAP -> sparseMap();
                case DATA, NOTHING -> throw new IllegalStateException("no blocks are gathered within " + within);
            }
        }
    }

    private void header() {
        headerAt = position - BLOCK;
        if (TarHeader.isEnd(block)) {
            requireHeader(group.size() == 0, "a header must follow");
            endSample(headerAt);
            within = Within.NOTHING;
            return;
        }
        var header = TarHeader.parse(block)
                .orElseThrow(() -> new StoreException.NoWholeTar("no header of a tar is at byte " + headerAt));
        keep();
        if (!header.isExtension()) {
            member(header);
            return;
        }
        requireHeader(header.size() <= LONGEST_EXTENSION, "it is too long");
        requireHeader(extensions.count() < MOST_EXTENSIONS, "too many come before one member");
        extension = Optional.of(header);
        requireWhole(header.size());
        left = TarHeader.padded(header.size());
        within = Within.EXTENSION;
        endExtension();
    }

    /// The block is the group's.
    private void keep() {
        group.write(block, 0, BLOCK);
    }

    private void requireHeader(boolean good, String otherwise) {
        if (!good) {
            throw new StoreException.NoWholeTar("the header at byte %d is not one: %s".formatted(headerAt, otherwise));
        }
    }

    /// Refuses at once what the end of the file would refuse.
    private void requireWhole(long length) {
        if (length > size - position || TarHeader.padded(length) > size - position) {
            throw new StoreException.NoWholeTar(
                    "the tar is cut off: the %d bytes of the header at byte %d are not all there"
                            .formatted(length, headerAt));
        }
    }

    private void extension() {
        keep();
        content.write(block, 0, BLOCK);
        left -= BLOCK;
        endExtension();
    }

    private void endExtension() {
        if (left > 0) {
            return;
        }
        var header = extension.orElseThrow();
        var said = Arrays.copyOf(content.toByteArray(), (int) header.size());
        content.reset();
        try {
            extensions.add(header, said);
        } catch (IllegalArgumentException bad) {
            requireHeader(false, String.valueOf(bad.getMessage()));
        }
        within = Within.HEADER;
    }

    private void member(TarHeader header) {
        var name = extensions.name().map(MemberName::new).orElseGet(header::name);
        left = header.hasData() ? extensions.size().orElse(header.size()) : 0;
        if (header.isRegular()) {
            var key = name.sample();
            if (key.isPresent() && !key.equals(sample)) {
                endSample(groupAt);
                index.sample(groupAt);
                sample = key;
            }
        }
        endGroup();
        named = Optional.of(new Named(name, header.isRegular(), header.isSparse() || extensions.isSparse()));
        extensions = new Extensions();
        if (header.isSparse() && TarHeader.isExtended(block)) {
            within = Within.SPARSE_MAP;
        } else {
            data();
        }
    }

    /// A member whose bytes come next.
    private record Named(MemberName name, boolean regular, boolean sparse) {}

    /// More of the map of a sparse file.
    private void sparseMap() {
        if (sample.isPresent()) {
            crc.update(block);
        }
        if (!TarHeader.isMapExtended(block)) {
            data();
        }
    }

    private void data() {
        requireWhole(left);
        var member = named.orElseThrow();
        if (member.regular) {
            index.member(member.name.bytes(), position, left, member.sparse);
        }
        left = TarHeader.padded(left);
        within = Within.DATA;
        if (left == 0) {
            expectHeader();
        }
    }

    private void endGroup() {
        if (sample.isPresent()) {
            crc.update(group.toByteArray());
        }
        group.reset();
    }

    private void endSample(long offset) {
        if (sample.isPresent()) {
            index.sampleEnded(offset, (int) crc.getValue());
        }
        crc.reset();
    }

    /// To be called after the last byte.
    ///
    /// @throws StoreException NoWholeTar, SampleTooLarge
    public Result end() {
        if (within != Within.NOTHING) {
            headerAt = position - filled;
            boolean between = within == Within.HEADER && filled == 0 && group.size() == 0 && position > 0;
            if (!between) {
                throw new StoreException.NoWholeTar(
                        position == 0 ? "the object is empty" : "the tar is cut off in the header at byte " + headerAt);
            }
            endSample(position);
            within = Within.NOTHING;
        }
        return new Result(index.samples(), index.encode(owner, size));
    }

    /// @param file the parts of the index's file, one after the other
    public record Result(ShardSamples samples, List<ByteBuffer> file) {}
}
