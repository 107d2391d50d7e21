package dev.sluice.targetnode.replica;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.storage.replicas.Replicas;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The slots of a group whose primary is a drive of this target, as far as the drives' loops know. Read by any thread.
final class GroupSlots {
    private final AtomicReferenceArray<Holder> primaries = new AtomicReferenceArray<>(Slot.COUNT);

    Optional<Holder> primary(int slot) {
        return Optional.ofNullable(primaries.get(slot));
    }

    /// On the holder's loop.
    void is(Holder holder) {
        primaries.set(holder.slot(), holder);
    }

    /// On the holder's loop. Nor is one of a loop that the drive had before.
    void isNot(Holder holder) {
        var now = primaries.get(holder.slot());
        if (now != null && now.loop().id().equals(holder.loop().id())) {
            primaries.compareAndSet(holder.slot(), now, null);
        }
    }

    Replicas.ServedSlots served() {
        var holders = new Holder[Slot.COUNT];
        var terms = new Serving[Slot.COUNT];
        var cover = SlotCover.NONE;
        for (int slot = 0; slot < Slot.COUNT; slot++) {
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
        return new Served(holders, terms, cover);
    }

    private static final class Served implements Replicas.ServedSlots {
        private final Holder[] holders;
        private final Serving[] terms;
        private final SlotCover cover;

        Served(Holder[] holders, Serving[] terms, SlotCover cover) {
            this.holders = holders;
            this.terms = terms;
            this.cover = cover;
        }

        @Override
        public boolean has(int slot, String drive) {
            var holder = holders[slot];
            return holder != null && holder.loop().id().equals(drive);
        }

        @Override
        public SlotCover cover() {
            return cover;
        }

        @Override
        public void require() {
            for (int slot = 0; slot < holders.length; slot++) {
                if (holders[slot] != null && !holders[slot].serves(terms[slot])) {
                    throw new StoreException.Unavailable("this target stopped serving slot " + slot);
                }
            }
        }
    }
}
