package dev.sluice.targetnode.replica.loop;

import dev.sluice.common.cluster.slots.Group;
import java.util.Optional;

/// All buckets are in this group.
public record OneGroup(Group group) implements SlotPages.Groups {
    @Override
    public Optional<Group> of(long bucketId) {
        return Optional.of(group);
    }

    @Override
    public Optional<Group> withId(int id) {
        return Optional.of(group).filter(known -> known.id() == id);
    }
}
