package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.erasure.SliceLayout;
import dev.sluice.common.peer.SteadyBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.slices.SliceSources.Asking;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The slices of one version that are read, each from one stripe to the next, and who else may have some. For one
/// thread at a time; blocks.
final class SliceReaders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SliceReaders.class);

    /// A slice that is read.
    private static final class Reader {
        private final SliceSources.Candidate from;
        private final OpenSlice content;
        private final int position;
        private int next;

        /// @param next the stripe whose cell comes next
        Reader(SliceSources.Candidate from, OpenSlice content, int next) {
            this.from = from;
            this.content = content;
            this.position = content.position();
            this.next = next;
        }
    }

    private final SliceSources sources;
    private final SliceLayout layout;
    private final long end;
    private final List<SliceSources.Candidate> untried;

    /// Those that failed, or were slow, and are asked again where the others do not suffice.
    private final List<SliceSources.Candidate> later = new ArrayList<>();

    private final boolean anybody;
    private final List<Reader> readers = new ArrayList<>();
    private final Set<String> silent = new LinkedHashSet<>();
    private int stripe;

    /// Drives whose cell of this stripe is not what was written.
    private final Set<String> bad = new HashSet<>();

    /// Drives of which a cell was not what was written.
    private final Set<String> told = new HashSet<>();

    /// Drives that broke off at this stripe, and were asked again.
    private final Set<String> askedAgain = new HashSet<>();

    /// Drives that broke off somewhere.
    private final Set<String> broken = new HashSet<>();

    /// @param first the stripe that is read first
    /// @param last the one that is read last
    SliceReaders(SliceSources sources, SliceLayout layout, int first, int last) {
        this.sources = sources;
        this.layout = layout;
        this.end = layout.cellOffset(last) + BlockSums.BLOCK;
        this.stripe = first;
        this.untried = new ArrayList<>(sources.candidates());
        this.anybody = !untried.isEmpty();
    }

    /// From here on cells of this stripe are read.
    void goOnAt(int number) {
        bad.clear();
        askedAgain.clear();
        stripe = number;
    }

    /// Reads the stripe's cell of a position, from whoever has a good one.
    ///
    /// @param into as long as the cell, or longer
    /// @return whether somebody has
    boolean read(int position, byte[] into, Predicate<ByteBuffer> isGood) {
        int length = layout.cellLength(stripe, position);
        for (var reader = reader(position); reader.isPresent(); reader = reader(position)) {
            if (reader.get().next > stripe) { // its cell was read, and is not there any more
                goBack(reader.get());
            } else if (isRead(reader.get(), into, length)) {
                if (isGood.test(ByteBuffer.wrap(into, 0, length))) {
                    return true;
                }
                isBad(reader.get());
            }
        }
        return false;
    }

    private void goBack(Reader past) {
        readers.remove(past);
        close(past.content);
        untried.add(past.from);
    }

    private boolean isRead(Reader reader, byte[] into, int length) {
        try {
            for (; reader.next < stripe; reader.next++) {
                reader.content.body().skipNBytes(layout.cellLength(reader.next, reader.position));
            }
            if (reader.content.body().readNBytes(into, 0, length) < length) {
                throw new EOFException("drive " + reader.from.drive() + " broke off");
            }
            reader.next++;
            return true;
        } catch (IOException | StoreException failure) {
            brokeOff(reader, failure);
            return false;
        }
    }

    /// Its other cells may be sound.
    private void isBad(Reader reader) {
        LOG.warn("the slice of {} on drive {} is not what was written", sources, reader.from.drive());
        bad.add(reader.from.drive());
        if (told.add(reader.from.drive())) { // else it is mended already
            sources.damaged(reader.from);
        }
    }

    /// A reader that was idle for long may have been cut off, or its slice is damaged, and other cells are sound: it is
    /// asked again, once a stripe.
    private void brokeOff(Reader reader, Exception failure) {
        readers.remove(reader);
        close(reader.content);
        broken.add(reader.from.drive());
        if (!askedAgain.add(reader.from.drive())) {
            isSilent(reader.from, failure);
        } else if (failure instanceof SteadyBody.SilentException) {
            later.add(reader.from);
        } else {
            untried.add(reader.from);
        }
    }

    private void isSilent(SliceSources.Candidate from, Exception failure) {
        LOG.debug("drive {} gives nothing of {}", from.drive(), sources, failure);
        silent.add("drive %s: %s".formatted(from.drive(), failure.getMessage()));
    }

    /// Who has this position. Whom the row gives another one is not asked before [#openAll].
    private Optional<Reader> reader(int position) {
        for (var from : List.copyOf(untried)) {
            if (opened(position).isPresent()) {
                break;
            }
            if (from.position() == position) {
                open(from);
            }
        }
        return opened(position);
    }

    private Optional<Reader> opened(int position) {
        return readers.stream()
                .filter(reader -> reader.position == position && !bad.contains(reader.from.drive()))
                .findFirst();
    }

    private void open(SliceSources.Candidate from) {
        openEach(List.of(from), Asking.FIRST);
    }

    /// All at once.
    private void openEach(List<SliceSources.Candidate> some, Asking asking) {
        untried.removeAll(some);
        later.removeAll(some);
        var opening = some.stream()
                .map(from -> sources.opening(
                        from,
                        layout.cellOffset(stripe),
                        end,
                        broken.contains(from.drive()) ? asking.carefully() : asking))
                .toList();
        for (int i = 0; i < some.size(); i++) {
            try {
                add(some.get(i), Await.io(opening.get(i)));
            } catch (IOException | StoreException failure) {
                failed(some.get(i), asking, failure);
            }
        }
    }

    private void failed(SliceSources.Candidate from, Asking asking, Exception failure) {
        if (asking.last()) {
            isSilent(from, failure);
        } else {
            LOG.debug("drive {} gives nothing of {} at once", from.drive(), sources, failure);
            later.add(from);
        }
    }

    private void add(SliceSources.Candidate from, OpenSlice content) {
        if (content.position() == Slice.NONE) {
            close(content);
        } else {
            readers.add(new Reader(from, content, stripe));
        }
    }

    private static void close(OpenSlice content) {
        try {
            content.close();
        } catch (IOException failure) {
            LOG.debug("a slice was not closed in order", failure);
        }
    }

    /// Opens what has these positions, so that it stays readable.
    void open(Collection<Integer> positions) {
        openEach(
                positions.stream()
                        .filter(position -> opened(position).isEmpty())
                        .flatMap(position ->
                                untried.stream().filter(from -> from.position() == position).findFirst().stream())
                        .toList(),
                Asking.FIRST);
    }

    /// Asks those too who, as the row says, have other positions than they are read for.
    void openAll() {
        openEach(List.copyOf(untried), Asking.FIRST);
    }

    /// Asks those again that were slow, or failed, now with patience.
    void openLast() {
        openEach(List.copyOf(later), Asking.LAST);
    }

    boolean hasOpen(int position) {
        return opened(position).isPresent();
    }

    /// The positions that drives of this target are to have.
    List<Integer> here() {
        return untried.stream()
                .filter(SliceSources.Candidate::here)
                .map(SliceSources.Candidate::position)
                .toList();
    }

    /// Why it is not known who has what; empty when all have said it.
    Optional<String> unknown() {
        if (!anybody) {
            return Optional.of("the members are not known here");
        }
        if (!untried.isEmpty() || !later.isEmpty()) {
            return Optional.of("some broke off");
        }
        return silent.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", silent));
    }

    @Override
    public void close() {
        readers.forEach(reader -> close(reader.content));
        readers.clear();
    }
}
