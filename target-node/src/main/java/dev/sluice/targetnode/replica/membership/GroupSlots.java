package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The slots of a group whose primary is a drive of this target, as far as the drives' loops know. Read by any thread.
public final class GroupSlots {
    private final Group group;
    private final AtomicReferenceArray<LocalReplica> primaries;

    public GroupSlots(Group group) {
        this.group = group;
        this.primaries = new AtomicReferenceArray<>(group.slots());
    }

    public Optional<LocalReplica> primary(long bucketId, String key) {
        return primary(group.slotOf(bucketId, key));
    }

    public Optional<LocalReplica> primary(int slot) {
        return Optional.ofNullable(primaries.get(slot));
    }

    /// On the holder's loop.
    public void is(LocalReplica replica) {
        primaries.set(replica.slot(), replica);
    }

    /// On the holder's loop. Nor is one of a loop that the drive had before.
    void isNot(LocalReplica replica) {
        var now = primaries.get(replica.slot());
        if (now != null && now.loop().id().equals(replica.loop().id())) {
            primaries.compareAndSet(replica.slot(), now, null);
        }
    }

    public Served served() {
        var replicas = new LocalReplica[group.slots()];
        var terms = new Serving[group.slots()];
        var cover = SlotCover.NONE;
        for (int slot = 0; slot < group.slots(); slot++) {
            var replica = primaries.get(slot);
            if (replica != null) {
                var term = replica.serving();
                if (replica.serves(term)) {
                    replicas[slot] = replica;
                    terms[slot] = term;
                    cover = cover.and(slot, term.primarySince());
                }
            }
        }
        return new Served(group, replicas, terms, cover);
    }

    /// The slots that this target may answer for.
    public static final class Served {
        private final Group group;
        private final LocalReplica[] replicas;
        private final Serving[] terms;
        private final SlotCover cover;

        Served(Group group, LocalReplica[] replicas, Serving[] terms, SlotCover cover) {
            this.group = group;
            this.replicas = replicas;
            this.terms = terms;
            this.cover = cover;
        }

        /// Whether this drive has the key's slot.
        public boolean has(long bucketId, String key, String drive) {
            var replica = replicas[group.slotOf(bucketId, key)];
            return replica != null && replica.loop().id().equals(drive);
        }

        /// Of a slot that this target answers for: since when its drive has been the primary with no other between.
        public long driveSince(long bucketId, String key) {
            return terms[group.slotOf(bucketId, key)].driveSince();
        }

        public SlotCover cover() {
            return cover;
        }

        /// To be asked after a look, before it is answered.
        ///
        /// @throws StoreException.Unavailable when one of them is not served any more, or was not in between
        public void require() {
            for (int slot = 0; slot < replicas.length; slot++) {
                if (replicas[slot] != null && !replicas[slot].serves(terms[slot])) {
                    throw new StoreException.Unavailable("this target stopped serving slot " + slot);
                }
            }
        }
    }
}
