package dev.sluice.common.s3.listing;

import dev.sluice.common.concurrent.AtOnce;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/// Several sorted sources as one. A key that several have is listed once, as the earliest source in the list has it: so
/// put what overrules first (the targets, then the backend). Costs O(log sources) per key. A failing source fails the
/// listing: nothing is left out silently.
public final class ListingMerge implements SortedKeys {
    private record Head(ListedObject object, int order) {}

    private static final Comparator<Head> ORDER = (left, right) -> {
        int keys = KeyOrder.INSTANCE.compare(left.object.key(), right.object.key());
        return keys != 0 ? keys : Integer.compare(left.order, right.order);
    };

    private final List<? extends SortedKeys> sources;
    private final PriorityQueue<Head> heads;
    /// Nothing is fetched before the first question, so that a first seek costs no page.
    private boolean started;

    public ListingMerge(List<? extends SortedKeys> sources) {
        this.sources = List.copyOf(sources);
        this.heads = new PriorityQueue<>(Math.max(1, sources.size()), ORDER);
    }

    @Override
    public Optional<ListedObject> peek() {
        start();
        var head = heads.peek();
        return head == null ? Optional.empty() : Optional.of(head.object);
    }

    @Override
    public void advance() {
        start();
        var taken = heads.poll();
        if (taken == null) {
            return;
        }
        sources.get(taken.order).advance();
        if (!isNext(taken.object.key())) {
            add(List.of(taken.order)); // as it is with nearly every key
            return;
        }
        var behind = new ArrayList<>(List.of(taken.order));
        while (isNext(taken.object.key())) {
            int order = heads.remove().order;
            sources.get(order).advance();
            behind.add(order);
        }
        add(behind);
    }

    private boolean isNext(String key) {
        var head = heads.peek();
        return head != null && head.object.key().equals(key);
    }

    @Override
    public boolean isAtHand() {
        return started;
    }

    @Override
    public void seek(String key) {
        if (!started) {
            sources.forEach(each -> each.seek(key));
            return;
        }
        var behind = new ArrayList<Integer>();
        for (var head = heads.peek();
                head != null && KeyOrder.INSTANCE.compare(head.object.key(), key) < 0;
                head = heads.peek()) {
            heads.poll();
            sources.get(head.order).seek(key);
            behind.add(head.order);
        }
        add(behind);
    }

    private void start() {
        if (!started) {
            started = true;
            add(IntStream.range(0, sources.size()).boxed().toList());
        }
    }

    /// Looks at all of these sources at once, where they have to fetch: each costs its own time.
    private void add(List<Integer> orders) {
        var fetching = new ArrayList<Integer>(0);
        for (int order : orders) {
            if (!sources.get(order).isAtHand()) {
                fetching.add(order);
            }
        }
        if (!fetching.isEmpty()) {
            AtOnce.ask(fetching, order -> sources.get(order).peek());
        }
        for (int order : orders) {
            sources.get(order).peek().ifPresent(object -> heads.add(new Head(object, order)));
        }
    }
}
