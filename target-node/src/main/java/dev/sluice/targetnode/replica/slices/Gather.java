package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.erasure.StripeDecoder;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.SliceOf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// Cells of one version of an object, one stripe after the other: read from who has them, or made of others. Each is
/// compared with its sum, whichever way it came. Keeps two cells, or those of one stripe once some had to be made of
/// others, whatever the object's size is. For one thread at a time; blocks.
final class Gather implements AutoCloseable {
    private final SliceSources sources;
    private final ObjectRecord record;
    private final ErasureCode code;
    private final SliceLayout layout;
    private final SliceReaders readers;
    private final SequencedMap<Integer, byte[]> cells = new LinkedHashMap<>();
    private final Deque<byte[]> spare = new ArrayDeque<>();
    private final Map<Integer, BlockSums> sums = new HashMap<>();
    private final Map<List<Integer>, StripeDecoder> decoders = new HashMap<>();
    private final IntConsumer memory;
    private int stripe;
    private boolean makes;

    /// @param record of the object, for whichever slice
    /// @param first the stripe that is read first
    /// @param last the one that is read last
    /// @param memory told how many cells there will be beside two, once some are made of others; may refuse
    Gather(SliceSources sources, ObjectRecord record, int first, int last, IntConsumer memory) {
        this.memory = memory;
        this.sources = sources;
        this.record = record;
        this.code = record.slice().map(SliceOf::code).orElseThrow();
        this.layout = new SliceLayout(code, record.size());
        this.stripe = first;
        this.readers = new SliceReaders(sources, layout, first, last);
    }

    /// A position's cell, which stays as it is until two others are brought, or one of another stripe: it may still be
    /// read while the next one is brought. It can be asked for again, at the price of opening its slice again.
    ///
    /// @param number of the stripe; never a lower one than before
    /// @param position one that has a cell in it
    /// @throws StoreException.Unavailable when it cannot be made now
    /// @throws StoreException.Damaged when all members have answered, and together have too few slices
    ByteBuffer cell(int number, int position) {
        if (number != stripe) {
            spare.addAll(cells.values());
            cells.clear();
            readers.goOnAt(number);
            stripe = number;
        } else if (!makes && !cells.containsKey(position)) {
            dropAllButNewest();
        }
        if (!has(position)) {
            decode(position);
        }
        return there(position);
    }

    private void dropAllButNewest() {
        while (cells.size() > 1) {
            spare.add(cells.pollFirstEntry().getValue());
        }
    }

    private ByteBuffer there(int position) {
        var cell = Objects.requireNonNull(cells.get(position));
        return ByteBuffer.wrap(cell, 0, layout.cellLength(stripe, position));
    }

    /// Opens what has these positions, so that it stays readable.
    void open(List<Integer> positions) {
        readers.open(positions);
    }

    /// Whether the stripe's cell is there, or could be read.
    private boolean has(int position) {
        if (cells.containsKey(position)) {
            return true;
        }
        var cell = spare(layout.cellLength(stripe, position));
        boolean there = readers.read(position, cell, bytes -> sums(position).matches(stripe, bytes));
        if (there) {
            cells.put(position, cell);
        } else {
            spare.add(cell);
        }
        return there;
    }

    private byte[] spare(int length) {
        return Optional.ofNullable(spare.poll())
                .filter(each -> each.length >= length)
                .orElseGet(() -> new byte[length]);
    }

    private BlockSums sums(int position) {
        return sums.computeIfAbsent(position, each -> record.at(each).fileSums());
    }

    private void decode(int position) {
        memory.accept(layout.blocks(0));
        makes = true;
        var there = there();
        if (there.size() < layout.blocks(stripe)) {
            throw lost(there.size());
        }
        var decoder = decoders.computeIfAbsent(
                decoding(there, position), _ -> StripeDecoder.of(layout, stripe, there, List.of(position)));
        int length = layout.cellLength(stripe, position);
        var cell = spare(length);
        decoder.decode(decoder.from().stream().map(this::there).toList(), List.of(ByteBuffer.wrap(cell, 0, length)));
        if (!sums(position).matches(stripe, ByteBuffer.wrap(cell, 0, length))) {
            throw new StoreException.Damaged(
                    "%s: what is made of other slices is not what was written".formatted(sources));
        }
        cells.put(position, cell);
    }

    private List<Integer> decoding(List<Integer> there, int position) {
        var key = new ArrayList<>(there);
        key.add(position);
        key.add(layout.blocks(stripe));
        return key;
    }

    /// As many positions as make the others, of which the cells are here.
    private List<Integer> there() {
        var there = new ArrayList<Integer>();
        addAll(there);
        if (there.size() < layout.blocks(stripe)) { // perhaps some have other slices than they are to have
            readers.openAll();
            addAll(there);
        }
        if (there.size() < layout.blocks(stripe)) {
            readers.openLast();
            addAll(there);
        }
        return there;
    }

    private void addAll(List<Integer> there) {
        for (var position : inOrder()) {
            addIfHas(position, there);
        }
    }

    private void addIfHas(int position, List<Integer> there) {
        boolean wanted = there.size() < layout.blocks(stripe)
                && !there.contains(position)
                && layout.cellLength(stripe, position) > 0;
        if (wanted && has(position)) {
            there.add(position);
        }
    }

    /// What is here already, and on this target, comes first; then data before parity.
    private List<Integer> inOrder() {
        var here = readers.here();
        return IntStream.range(0, code.slices())
                .boxed()
                .sorted(Comparator.comparing((Integer position) -> !cells.containsKey(position))
                        .thenComparing(position -> !readers.hasOpen(position))
                        .thenComparing(position -> !here.contains(position)))
                .toList();
    }

    private StoreException lost(int there) {
        var what = "%s: %d slices of stripe %d are readable, and %d are needed"
                .formatted(sources, there, stripe, layout.blocks(stripe));
        return readers.unknown()
                .<StoreException>map(why -> new StoreException.Unavailable("%s; %s; try again".formatted(what, why)))
                .orElseGet(() -> new StoreException.Damaged(what));
    }

    /// Whether it is at this stripe.
    boolean isAt(int number) {
        return number == stripe;
    }

    /// Whether this can go on with a stripe: one that is not too far.
    boolean goesOnAt(int number) {
        return number >= stripe && number - stripe <= 1 + code.data();
    }

    @Override
    public void close() {
        readers.close();
    }
}
