package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.erasure.StripeDecoder;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.peers.ReceivedContent;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.SliceOf;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Cells of one version of an object, one stripe after the other: read from who has them, or made of others. Each is
/// compared with its sum, whichever way it came. Keeps the cells of one stripe, whatever the object's size is. For one
/// thread at a time; blocks.
final class Gather implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gather.class);

    /// A slice that is read.
    private static final class Reader {
        private final SliceSources.Candidate from;
        private final ReceivedContent content;
        private int next;

        Reader(SliceSources.Candidate from, ReceivedContent content, int next) {
            this.from = from;
            this.content = content;
            this.next = next;
        }
    }

    private final SliceSources sources;
    private final ObjectRecord record;
    private final ErasureCode code;
    private final SliceLayout layout;
    private final int first;
    private final long end;
    private final List<SliceSources.Candidate> untried = new ArrayList<>();
    private final Map<Integer, Reader> readers = new TreeMap<>();
    private final Map<Integer, byte[]> cells = new HashMap<>();
    private final Deque<byte[]> spare = new ArrayDeque<>();
    private final Map<Integer, BlockSums> sums = new HashMap<>();
    private final Map<List<Integer>, StripeDecoder> decoders = new HashMap<>();
    private final Set<String> silent = new LinkedHashSet<>();
    private int stripe;

    /// @param record of the object, for whichever slice
    /// @param first the stripe that is read first
    /// @param last the one that is read last
    Gather(SliceSources sources, ObjectRecord record, int first, int last) {
        this.sources = sources;
        this.record = record;
        this.code = record.slice().map(SliceOf::code).orElseThrow();
        this.layout = new SliceLayout(code, record.size());
        this.first = first;
        this.stripe = first;
        this.end = layout.cellOffset(last) + BlockSums.BLOCK;
        untried.addAll(sources.candidates());
    }

    /// A position's cell, which stays as it is until one of another stripe is asked for.
    ///
    /// @param number of the stripe; never a lower one than before
    /// @param position one that has a cell in it
    /// @throws StoreException.Unavailable when it cannot be made now
    /// @throws StoreException.Damaged when all members have answered, and together have too few slices
    ByteBuffer cell(int number, int position) {
        if (number != stripe) {
            spare.addAll(cells.values());
            cells.clear();
            stripe = number;
        }
        if (!has(position)) {
            decode(position);
        }
        return there(position);
    }

    private ByteBuffer there(int position) {
        var cell = Objects.requireNonNull(cells.get(position));
        return ByteBuffer.wrap(cell, 0, layout.cellLength(stripe, position));
    }

    /// Opens what has these positions, so that it stays readable.
    void open(List<Integer> positions) {
        positions.forEach(position -> {
            var _ = reader(position);
        });
    }

    /// Whether the stripe's cell is there, or could be read.
    private boolean has(int position) {
        if (cells.containsKey(position)) {
            return true;
        }
        for (var reader = reader(position); reader.isPresent(); reader = reader(position)) {
            if (isRead(reader.get(), position)) {
                return true;
            }
            readers.remove(position);
            close(reader.get().content);
        }
        return false;
    }

    private boolean isRead(Reader reader, int position) {
        int length = layout.cellLength(stripe, position);
        var cell = spare(length);
        try {
            for (; reader.next < stripe; reader.next++) {
                reader.content.body().skipNBytes(layout.cellLength(reader.next, position));
            }
            if (reader.content.body().readNBytes(cell, 0, length) < length) {
                throw new EOFException("drive " + reader.from.drive() + " broke off");
            }
            reader.next++;
        } catch (IOException | StoreException failure) {
            isSilent(reader.from, failure);
            spare.add(cell);
            return false;
        }
        if (!sums(position).matches(stripe, ByteBuffer.wrap(cell, 0, length))) {
            LOG.warn("{}: the slice on drive {} is not what was written", this, reader.from.drive());
            sources.damaged(reader.from);
            spare.add(cell);
            return false;
        }
        cells.put(position, cell);
        return true;
    }

    private byte[] spare(int length) {
        return Optional.ofNullable(spare.poll())
                .filter(each -> each.length >= length)
                .orElseGet(() -> new byte[length]);
    }

    private BlockSums sums(int position) {
        return sums.computeIfAbsent(position, each -> record.at(each).fileSums());
    }

    private void isSilent(SliceSources.Candidate from, Exception failure) {
        LOG.debug("{}: drive {} gives nothing", this, from.drive(), failure);
        silent.add("drive %s: %s".formatted(from.drive(), failure.getMessage()));
    }

    /// Who has this position. Whom the row gives another one is not asked before [#openAll].
    private Optional<Reader> reader(int position) {
        for (var from : List.copyOf(untried)) {
            if (readers.containsKey(position)) {
                break;
            }
            if (from.position() == position) {
                open(from);
            }
        }
        return Optional.ofNullable(readers.get(position));
    }

    private void open(SliceSources.Candidate from) {
        untried.remove(from);
        try {
            var content = sources.open(from, layout.cellOffset(stripe), end);
            var held = content.found().map(ObjectRecord::position).orElse(-1);
            if (held < 0 || readers.putIfAbsent(held, new Reader(from, content, stripe)) != null) {
                close(content);
            }
        } catch (IOException | StoreException failure) {
            isSilent(from, failure);
        }
    }

    private static void close(ReceivedContent content) {
        try {
            content.close();
        } catch (IOException failure) {
            LOG.debug("a slice was not closed in order", failure);
        }
    }

    private void decode(int position) {
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
                    "%s: what is made of other slices is not what was written".formatted(this));
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
        for (var position : inOrder()) {
            addIfHas(position, there);
        }
        if (there.size() < layout.blocks(stripe)) { // perhaps some have other slices than they are to have
            untried.stream().toList().forEach(this::open);
            for (var position : inOrder()) {
                addIfHas(position, there);
            }
        }
        return there;
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
        var here = untried.stream()
                .filter(SliceSources.Candidate::here)
                .map(SliceSources.Candidate::position)
                .toList();
        return IntStream.range(0, code.slices())
                .boxed()
                .sorted(Comparator.comparing((Integer position) -> !cells.containsKey(position))
                        .thenComparing(position -> !readers.containsKey(position))
                        .thenComparing(position -> !here.contains(position)))
                .toList();
    }

    private StoreException lost(int there) {
        var what = "%s: %d slices of stripe %d are readable, and %d are needed"
                .formatted(this, there, stripe, layout.blocks(stripe));
        return silent.isEmpty()
                ? new StoreException.Damaged(what)
                : new StoreException.Unavailable("%s; %s; try again".formatted(what, silent));
    }

    /// Whether this can go on with a stripe: one that is not too far.
    boolean goesOnAt(int number) {
        return number >= stripe && number - stripe <= 1 + code.data() && number >= first;
    }

    @Override
    public String toString() {
        return "'%s' of version %s"
                .formatted(sources.name().key(), sources.version().id());
    }

    @Override
    public void close() {
        readers.values().forEach(reader -> close(reader.content));
        readers.clear();
    }
}
