package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.SliceOf;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/// The bytes of one slice of an object, from whoever has it, or made of others. For one virtual thread.
public final class SliceStream extends InputStream {
    private final SliceSources sources;
    private final ObjectRecord record;
    private final SliceLayout layout;
    private final int position;
    private final int cells;
    private Optional<Gather> gather = Optional.empty();
    private ByteBuffer cell = ByteBuffer.allocate(0);
    private int next;

    /// @param record of the object, as its file here is to have it
    public SliceStream(SliceSources sources, ObjectRecord record) {
        this.sources = sources;
        this.record = record;
        this.layout = new SliceLayout(record.slice().map(SliceOf::code).orElseThrow(), record.size());
        this.position = record.position();
        this.cells = layout.cells(position);
    }

    /// As the file of the slice is to have it.
    public ObjectRecord record() {
        return record;
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /// @throws dev.sluice.common.store.StoreException as [Gather#cell]
    @Override
    public int read(byte[] into, int offset, int length) {
        if (!cell.hasRemaining()) {
            if (next == cells) {
                return -1;
            }
            var from = gather.orElseGet(() -> new Gather(sources, record, 0, layout.stripes() - 1, _ -> {}));
            gather = Optional.of(from);
            cell = from.cell(next, position);
            next++;
        }
        int count = Math.min(length, cell.remaining());
        cell.get(into, offset, count);
        return count;
    }

    @Override
    public void close() {
        gather.ifPresent(Gather::close);
    }
}
