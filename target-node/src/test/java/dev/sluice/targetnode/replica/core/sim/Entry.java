package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.Proposal;
import java.util.Map;
import java.util.Set;

/// What is proposed to the log.
sealed interface Entry {
    record Query(String target) implements Entry {}

    record Register(
            String target, String nonce, int ifIncarnation, Set<String> drives, String bootId, Set<String> lossy)
            implements Entry {}

    record Down(String target, int entry, Map<Integer, Integer> boots) implements Entry {}

    record Trust(String target, int entry) implements Entry {}

    record Up(String target, int incarnation) implements Entry {}

    record Boot(int controller, int boot) implements Entry {}

    record DriveOut(String drive, int incarnation) implements Entry {}

    record DriveIn(String drive, int process, int ifIncarnation, String nonce, boolean lossy) implements Entry {}

    record Drain(String target) implements Entry {}

    record Goal(int replicas) implements Entry {}

    record Fill() implements Entry {}

    record OfSlot(int slot, Proposal proposal) implements Entry {}

    record Move(int slot, long epoch, String drive) implements Entry {}

    record Demote(int slot, long epoch, String drive, int incarnation) implements Entry {}

    record Accuse(int slot, long epoch, String accused, String accuser) implements Entry {}
}
