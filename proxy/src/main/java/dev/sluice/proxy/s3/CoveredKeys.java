package dev.sluice.proxy.s3;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.PagedKeys;
import dev.sluice.common.s3.listing.SortedKeys;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A target's keys of a replicated bucket, with the slots that they are of. A target that does not answer has no keys
/// and no slots: whether a listing needs it, the slots of all targets together say.
final class CoveredKeys implements SortedKeys {
    private static final Logger LOG = LoggerFactory.getLogger(CoveredKeys.class);

    private final TargetService target;
    private final Bucket bucket;
    private final ListQuery query;
    private final PagedKeys pages;
    private Optional<SlotCover> cover = Optional.empty();
    private boolean changed;

    /// @param query what is wanted; a page has at most as many keys
    CoveredKeys(TargetService target, Bucket bucket, ListQuery query) {
        this.target = target;
        this.bucket = bucket;
        this.query = query;
        this.pages = new PagedKeys(this::page, Math.max(query.limit(), 1));
    }

    /// Whether the pages of these targets are of each slot once, and each target was asked in one term.
    ///
    /// @param slots how many the bucket's group has
    static boolean isWhole(List<CoveredKeys> all, int slots) {
        return all.stream().noneMatch(each -> each.changed)
                && all.stream()
                        .map(CoveredKeys::cover)
                        .reduce(SlotCover.NONE, SlotCover::plus)
                        .isWhole(slots);
    }

    /// Of a target that gave no page yet, that it is needed for none of the keys before those of others.
    private SlotCover cover() {
        if (cover.isEmpty()) {
            var _ = pages.peek();
        }
        return cover.orElse(SlotCover.NONE);
    }

    private PagedKeys.Page page(String from, int limit) {
        try {
            var page = target.list(bucket, new ListQuery(query.prefix(), query.delimiter(), from, limit));
            seen(page.cover());
            return new PagedKeys.Page(page.objects(), page.objects().size() < limit);
        } catch (StoreException.Unavailable away) {
            LOG.debug("a target lists no slots of {}: {}", bucket.name(), away.getMessage());
            seen(SlotCover.NONE);
            return new PagedKeys.Page(List.of(), true);
        }
    }

    private void seen(SlotCover now) {
        changed |= cover.isPresent() && !cover.get().equals(now);
        cover = Optional.of(now);
    }

    @Override
    public Optional<ListedObject> peek() {
        return pages.peek();
    }

    @Override
    public boolean isAtHand() {
        return pages.isAtHand();
    }

    @Override
    public void advance() {
        pages.advance();
    }

    @Override
    public void seek(String key) {
        pages.seek(key);
    }
}
