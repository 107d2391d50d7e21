package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.replica.core.Copying;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/// Which slots of a learning drive may ask for pages of their listings. A target that returns becomes a learner of some
/// ten thousand slots at once: all take writes from then on, but if all asked at once, nothing else would be heard.
///
/// The slots that can lose the fewest members more come first, then those that have waited longest. A turn ends when
/// the slot has learned, or learns no more, or when nothing of it came for a while. Whoever lost it so comes again when
/// all others had one, and goes on where it stood.
///
/// One drive's, and for its loop.
public final class CopyTurns {
    static final int MOST = 256;
    public static final int MOST_OF_A_SOURCE = 64;
    public static final Duration IDLE = Duration.ofSeconds(5);

    private static final Comparator<Place> ORDER = Comparator.comparingInt(Place::lostTurns)
            .thenComparingInt(Place::losses)
            .thenComparingLong(Place::number);

    /// A slot that copies.
    ///
    /// @param losses how many members more the slot can lose
    /// @param number greater than those of all that waited before
    /// @param lostTurns how many turns it has lost
    private record Place(LocalReplica replica, Copying copying, int losses, long number, int lostTurns) {}

    private final Map<LocalReplica, Place> places = new HashMap<>();
    private final Map<String, TreeSet<Place>> waiting = new HashMap<>(); // by source
    private final Map<LocalReplica, Place> turns = new LinkedHashMap<>();
    private final Map<String, Integer> given = new HashMap<>(); // by source
    private long numbers;
    private volatile int underWay;
    private volatile int waitingNow;

    /// How many slots have a turn. On any thread.
    int underWay() {
        return underWay;
    }

    /// How many wait for one. On any thread.
    public int waiting() {
        return waitingNow;
    }

    private void count() {
        underWay = turns.size();
        waitingNow = places.size() - turns.size();
    }

    public boolean has(LocalReplica replica) {
        return turns.containsKey(replica);
    }

    /// After each event of a slot that copies.
    ///
    /// @param losses how many members more it can lose
    public void copies(LocalReplica replica, Copying copying, int losses) {
        var place = Optional.ofNullable(places.get(replica)).filter(before -> before.copying.equals(copying));
        if (place.isPresent() && (has(replica) || place.get().losses == losses)) {
            return;
        }
        remove(replica);
        await(place.map(before -> new Place(replica, copying, losses, before.number, before.lostTurns))
                .orElseGet(() -> new Place(replica, copying, losses, numbers++, 0)));
        count();
    }

    /// After each event of a slot that has nothing to copy, or is not to.
    void copiesNothing(LocalReplica replica) {
        if (remove(replica)) {
            count();
        }
    }

    private boolean remove(LocalReplica replica) {
        var place = Optional.ofNullable(places.remove(replica));
        place.ifPresent(this::end);
        return place.isPresent();
    }

    private void await(Place place) {
        places.put(place.replica, place);
        waiting.computeIfAbsent(place.copying.source(), _ -> new TreeSet<>(ORDER))
                .add(place);
    }

    private void stopWaiting(Place place) {
        var source = place.copying.source();
        waiting.computeIfPresent(source, (_, all) -> {
            all.remove(place);
            return all.isEmpty() ? null : all;
        });
    }

    private void end(Place place) {
        if (turns.remove(place.replica, place)) {
            given.computeIfPresent(place.copying.source(), (_, count) -> count == 1 ? null : count - 1);
        } else {
            stopWaiting(place);
        }
    }

    /// Gives the turns that are free.
    ///
    /// @param begin is told of each; it may call this object
    void give(long now, Consumer<LocalReplica> begin) {
        for (var next = next(); next.isPresent(); next = next()) {
            var place = next.get();
            stopWaiting(place);
            turns.put(place.replica, place);
            given.merge(place.copying.source(), 1, Integer::sum);
            place.replica.copied(now);
            count();
            begin.accept(place.replica);
        }
    }

    private Optional<Place> next() {
        if (turns.size() >= MOST) {
            return Optional.empty();
        }
        return waiting.entrySet().stream()
                .filter(each -> given.getOrDefault(each.getKey(), 0) < MOST_OF_A_SOURCE)
                .map(each -> each.getValue().getFirst())
                .min(ORDER);
    }

    /// Ends the turns of those of which nothing came for a while. What waits for a thread to be pulled is on its way.
    public void tick(long now) {
        var idle = turns.values().stream()
                .filter(place -> now - place.replica.copied() > IDLE.toNanos() && !place.replica.waitsForPulls())
                .toList();
        for (var place : idle) {
            end(place);
            await(new Place(place.replica, place.copying, place.replica.losses(), numbers++, place.lostTurns + 1));
        }
        count();
    }
}
