package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.Proposal;
import java.util.Map;
import java.util.Set;

/// What is proposed to the log.
sealed interface Entry {
    record Query(String target) implements Entry {}

    record Register(
            String target,
            String nonce,
            int ifIncarnation,
            Set<String> drives,
            String bootId,
            Set<String> lossy,
            Set<String> kept)
            implements Entry {}

    record Down(String target, int entry, Map<Integer, Integer> boots) implements Entry {}

    record Trust(String target, int entry) implements Entry {}

    record Up(String target, int incarnation) implements Entry {}

    record LastBoot(int controller) implements Entry {}

    record Boot(int controller, int boot) implements Entry {}

    record DriveOut(String drive, int incarnation) implements Entry {}

    record DriveIn(String drive, int process, int ifIncarnation, String nonce, boolean lossy) implements Entry {}

    record Drain(String target) implements Entry {}

    record Goal(int replicas) implements Entry {}

    record Fill() implements Entry {}

    record OfSlot(int slot, Proposal proposal) implements Entry {}

    record Move(int slot, long epoch, String drive) implements Entry {}

    record Demote(int slot, long epoch, String drive, int incarnation) implements Entry {}

    record Mute(String target, int entry, Set<String> muted) implements Entry {}

    record Unmute(String target, int entry) implements Entry {}

    /// Who asks.
    ///
    /// @param process the incarnation of its process
    /// @param controller the one that answered a beat and led
    /// @param beat the newest that it has answered
    /// @param drives those that have just answered, of coded slots, with their incarnations
    record Answered(String target, int process, int controller, int beat, Map<String, Integer> drives) {}

    /// @param primary the drive that asks
    record CutOff(int slot, long epoch, String leaving, String primary, int incarnation, Answered by)
            implements Entry {}

    /// Of a coded slot.
    record Expel(int slot, Proposal.Expel proposal, Answered by) implements Entry {}

    record Fenced(String target, int incarnation, int version) implements Entry {}
}
