package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The rules of the core, with those broken that are named.
public final class BrokenRules extends Rules {
    private final Set<String> broken;

    private BrokenRules(Set<String> broken) {
        this.broken = broken;
    }

    /// A core that breaks these rules; names of other parts of the simulation change nothing.
    public static SlotCore core(String drive, int incarnation, Set<String> broken) {
        return broken.isEmpty()
                ? new SlotCore(drive, incarnation)
                : new SlotCore(drive, incarnation, new BrokenRules(broken));
    }

    private boolean breaks(String rule) {
        return broken.contains(rule);
    }

    @Override
    boolean accepts(long epoch, long seen) {
        return breaks("no_epoch_check") || super.accepts(epoch, seen);
    }

    @Override
    boolean takesWrites(long epoch, long applied) {
        return breaks("no_epoch_check") || breaks("w_prepare") || super.takesWrites(epoch, applied);
    }

    @Override
    boolean leads(long applied, long seen) {
        return breaks("no_epoch_check") || breaks("lead_fenced") || super.leads(applied, seen);
    }

    @Override
    boolean answers(long epoch, long applied) {
        return breaks("no_epoch_check") || breaks("stale_answers") || super.answers(epoch, applied);
    }

    @Override
    Set<String> mustPrepare(SlotRow row, String primary) {
        if (breaks("x_ec_quorum")) {
            return row.members().stream()
                    .map(Member::drive)
                    .limit(Math.max(2, row.members().size() - 1))
                    .collect(Collectors.toUnmodifiableSet());
        }
        return breaks("ack_early") ? Set.of(primary) : super.mustPrepare(row, primary);
    }

    @Override
    Set<String> mustFence(SlotRow row, String primary) {
        return breaks("no_fence") ? Set.of(primary) : super.mustFence(row, primary);
    }

    @Override
    boolean acknowledgementCounts(int named, int incarnation) {
        return breaks("w_fence_inc") || super.acknowledgementCounts(named, incarnation);
    }

    @Override
    boolean acknowledgesWhileStoring() {
        return breaks("fence_unsynced") || super.acknowledgesWhileStoring();
    }

    @Override
    boolean commits(List<Member> having, List<Member> inSync) {
        if (breaks("x_ec_commit_d") && SlotRow.positions(having) > 1) {
            return true;
        }
        boolean aborts = breaks("abort_all_have") || breaks("x_ec_abort");
        return breaks("commit_lacking") || (!aborts && super.commits(having, inSync));
    }

    @Override
    boolean hasPrepared(OpenIntent intent, int own) {
        return breaks("x_ec_prepare") || super.hasPrepared(intent, own);
    }

    @Override
    boolean hasCommitted(OpenIntent intent, int own) {
        return breaks("x_ec_intent") || super.hasCommitted(intent, own);
    }

    @Override
    boolean isSame(Slice learners, ObjectVersion sources, int own) {
        boolean versionsOnly = breaks("x_ec_version") || breaks("x_ec_intent");
        return versionsOnly ? learners.version().equals(sources) : super.isSame(learners, sources, own);
    }

    @Override
    boolean hasDeletion(boolean olderIntentOpen) {
        return breaks("w_gone") || super.hasDeletion(olderIntentOpen);
    }

    @Override
    boolean samePrimacy(long primarySince, long former) {
        return breaks("naive_continuity") || super.samePrimacy(primarySince, former);
    }

    @Override
    boolean servesWhileLagging() {
        return breaks("serve_lagging") || super.servesWhileLagging();
    }

    @Override
    ObjectVersion version(long epoch, int incarnation, int counter) {
        return breaks("reuse_version") ? new ObjectVersion(1, counter) : super.version(epoch, incarnation, counter);
    }

    @Override
    boolean isLate(ObjectVersion version, ObjectVersion settledHere, ObjectVersion settledBelow) {
        return !breaks("w_late") && super.isLate(version, settledHere, settledBelow);
    }

    @Override
    boolean storesDeletion(boolean hasRow) {
        return breaks("w_nothing") ? hasRow : super.storesDeletion(hasRow);
    }

    @Override
    boolean skipsRefusing() {
        return breaks("off_unlogged") || super.skipsRefusing();
    }

    @Override
    boolean syncsAborts() {
        return !breaks("w_abort") && super.syncsAborts();
    }

    @Override
    long learnsSince(Member learner, long primarySince) {
        return breaks("w_since") ? learner.since() : super.learnsSince(learner, primarySince);
    }

    @Override
    boolean dropsIntentsAtOnce() {
        return breaks("w_drop") || super.dropsIntentsAtOnce();
    }

    @Override
    boolean listsWhileUndecided() {
        return breaks("learn_at_once") || super.listsWhileUndecided();
    }

    @Override
    boolean replaces(ObjectVersion learners, ObjectVersion sources) {
        return breaks("newer_wins") ? learners.compareTo(sources) < 0 : super.replaces(learners, sources);
    }

    @Override
    boolean deletesWhatIsMissing() {
        return !breaks("newer_wins") && super.deletesWhatIsMissing();
    }

    @Override
    boolean remembersDeletions() {
        return !breaks("forget_deletes") && super.remembersDeletions();
    }

    @Override
    boolean ordersPurges() {
        return !breaks("purge_beside") && super.ordersPurges();
    }

    @Override
    boolean skipsPulls() {
        return breaks("promote_early") || super.skipsPulls();
    }
}
