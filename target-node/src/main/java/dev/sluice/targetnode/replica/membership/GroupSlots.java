package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.replica.loop.Holder;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The slots of a group whose primary is a drive of this target, as far as the drives' loops know. Read by any thread.
public final class GroupSlots {
    private final Group group;
    private final AtomicReferenceArray<Holder> primaries;

    public GroupSlots(Group group) {
        this.group = group;
        this.primaries = new AtomicReferenceArray<>(group.slots());
    }

    public Optional<Holder> primary(long bucketId, String key) {
        return primary(group.slotOf(bucketId, key));
    }

    public Optional<Holder> primary(int slot) {
        return Optional.ofNullable(primaries.get(slot));
    }

    /// On the holder's loop.
    public void is(Holder holder) {
        primaries.set(holder.slot(), holder);
    }

    /// On the holder's loop. Nor is one of a loop that the drive had before.
    void isNot(Holder holder) {
        var now = primaries.get(holder.slot());
        if (now != null && now.loop().id().equals(holder.loop().id())) {
            primaries.compareAndSet(holder.slot(), now, null);
        }
    }

    public Served served() {
        var holders = new Holder[group.slots()];
        var terms = new Serving[group.slots()];
        var cover = SlotCover.NONE;
        for (int slot = 0; slot < group.slots(); slot++) {
            var holder = primaries.get(slot);
            if (holder != null) {
                var term = holder.serving();
                if (holder.serves(term)) {
                    holders[slot] = holder;
                    terms[slot] = term;
                    cover = cover.and(slot, term.primarySince());
                }
            }
        }
        return new Served(group, holders, terms, cover);
    }

    /// The slots that this target may answer for.
    public static final class Served {
        private final Group group;
        private final Holder[] holders;
        private final Serving[] terms;
        private final SlotCover cover;

        Served(Group group, Holder[] holders, Serving[] terms, SlotCover cover) {
            this.group = group;
            this.holders = holders;
            this.terms = terms;
            this.cover = cover;
        }

        /// Whether this drive has the key's slot.
        public boolean has(long bucketId, String key, String drive) {
            var holder = holders[group.slotOf(bucketId, key)];
            return holder != null && holder.loop().id().equals(drive);
        }

        public SlotCover cover() {
            return cover;
        }

        /// To be asked after a look, before it is answered.
        ///
        /// @throws StoreException.Unavailable when one of them is not served any more, or was not in between
        public void require() {
            for (int slot = 0; slot < holders.length; slot++) {
                if (holders[slot] != null && !holders[slot].serves(terms[slot])) {
                    throw new StoreException.Unavailable("this target stopped serving slot " + slot);
                }
            }
        }
    }
}
