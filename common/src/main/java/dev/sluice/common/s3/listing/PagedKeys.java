package dev.sluice.common.s3.listing;

import java.util.List;
import java.util.Optional;

/// A sorted source that is fetched page by page: the usual way to put a drive's index, another node or a cloud bucket
/// behind [SortedKeys]. After a seek that leaves much of the page at hand unused, pages start small again and grow
/// fourfold: so a listing that jumps from prefix to prefix does not fetch a thousand keys to use one, from a source
/// that does not fold them.
public final class PagedKeys implements SortedKeys {
    private static final int AFTER_SEEK = 16;
    private static final int GROWTH = 4;

    /// Where the pages come from.
    @FunctionalInterface
    public interface Fetch {
        /// At most `limit` objects in key order, beginning with the first whose key is not less than `from`. Blocks.
        /// An empty page that is not the last is a bug of the source.
        Page page(String from, int limit);
    }

    /// @param last true when nothing follows
    public record Page(List<ListedObject> objects, boolean last) {}

    private final Fetch fetch;
    private final int largestPage;
    private int nextPage;
    private String from = "";
    private List<ListedObject> page = List.of();
    private int at;
    private int skipped;
    private boolean last;

    /// @param largestPage how many objects to ask for at once; also the size of the first page
    public PagedKeys(Fetch fetch, int largestPage) {
        if (largestPage < 1) {
            throw new IllegalArgumentException("page of " + largestPage);
        }
        this.fetch = fetch;
        this.largestPage = largestPage;
        this.nextPage = largestPage;
    }

    @Override
    public Optional<ListedObject> peek() {
        if (at == page.size()) {
            if (last) {
                return Optional.empty();
            }
            load();
            if (page.isEmpty()) {
                return Optional.empty();
            }
        }
        return Optional.of(page.get(at));
    }

    @Override
    public boolean isAtHand() {
        return at < page.size() || last;
    }

    @Override
    public void advance() {
        if (peek().isPresent()) {
            at++;
        }
    }

    @Override
    public void seek(String key) {
        int before = at;
        at = firstNotLess(key);
        skipped += Math.max(0, at - before - 1); // one stands for those that are skipped
        if (at == page.size() && !last) {
            if (skipped > page.size() / 2) {
                nextPage = Math.min(AFTER_SEEK, largestPage);
            }
            page = List.of();
            at = 0;
            if (KeyOrder.INSTANCE.compare(key, from) > 0) {
                from = key;
            }
        }
    }

    private void load() {
        var loaded = fetch.page(from, nextPage);
        page = loaded.objects();
        last = loaded.last();
        at = 0;
        skipped = 0;
        if (page.isEmpty()) {
            if (!last) {
                throw new IllegalStateException("an empty page from '" + from + "' that is not the last");
            }
            return;
        }
        from = KeyOrder.justAfter(page.getLast().key());
        nextPage = (int) Math.min((long) nextPage * GROWTH, largestPage);
    }

    private int firstNotLess(String key) {
        int low = at;
        int high = page.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (KeyOrder.INSTANCE.compare(page.get(middle).key(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
