package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The decisions that make the protocol safe, one a method. There is one instance; tests break a rule each, and have to
/// see what comes of it.
class Rules {
    static final Rules PROTOCOL = new Rules();

    /// A member that acknowledged an epoch refuses everything older.
    boolean accepts(long epoch, long seen) {
        return epoch >= seen;
    }

    /// A write or its fate is taken only under exactly the epoch of the applied row.
    boolean takesWrites(long epoch, long applied) {
        return epoch == applied;
    }

    /// A primary that acknowledged a newer epoch than that of its row does nothing more.
    boolean leads(long applied, long seen) {
        return applied >= seen;
    }

    /// An answer to the primary counts under the epoch of its row only: it asks again in each epoch.
    boolean answers(long epoch, long applied) {
        return epoch == applied;
    }

    /// All members of the row have to have a write before it is acknowledged, learners too.
    Set<String> mustPrepare(SlotRow row, String primary) {
        return row.members().stream().map(Member::drive).collect(Collectors.toUnmodifiableSet());
    }

    /// A new primary asks whoever may think that an older epoch counts.
    Set<String> mustFence(SlotRow row, String primary) {
        return Stream.concat(row.inSync().stream().map(Member::drive), row.fence().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /// A member that restarted may have lost intents: the row has to name the process that acknowledges.
    boolean acknowledgementCounts(int named, int incarnation) {
        return named == incarnation;
    }

    /// A fence is acknowledged with durable intents only: what it decides on has to survive.
    boolean acknowledgesWhileStoring() {
        return false;
    }

    /// An open intent is committed if every in-sync member has its part of it: it may be acknowledged. Else it is not.
    boolean commits(List<Member> having, List<Member> inSync) {
        return having.size() == inSync.size();
    }

    /// A write that is sent again is not had where the member has another slice of it.
    boolean hasPrepared(OpenIntent intent, int own) {
        return intent.fits(own);
    }

    /// No row is no proof of a deletion where an older put is still open.
    boolean hasDeletion(boolean olderIntentOpen) {
        return !olderIntentOpen;
    }

    /// A primary may have skipped rows: only an unchanged primary-since says that it never stopped.
    boolean samePrimacy(long primarySince, long former) {
        return primarySince == former;
    }

    /// Readers look into the store: it has to show what the fence decided.
    boolean servesWhileLagging() {
        return false;
    }

    /// Rises for each key, and is given once in the cluster.
    ObjectVersion version(long epoch, int incarnation, int counter) {
        return new ObjectVersion(epoch, (long) incarnation << 32 | Integer.toUnsignedLong(counter));
    }

    /// A prepare of a version whose fate is known came late: here, or everywhere.
    boolean isLate(ObjectVersion version, ObjectVersion settledHere, ObjectVersion settledBelow) {
        return version.compareTo(settledHere) <= 0 || version.compareTo(settledBelow) < 0;
    }

    /// A deletion is prepared also where there is no row: a learner may yet copy an old one.
    boolean storesDeletion(boolean hasRow) {
        return true;
    }

    /// The acknowledgement waits until the log has taken off a learner that refuses.
    boolean skipsRefusing() {
        return false;
    }

    /// A definite failure is answered when the abort is durable everywhere.
    boolean syncsAborts() {
        return true;
    }

    /// With a new primary all that a learner has is old.
    long learnsSince(Member learner, long primarySince) {
        return Math.max(learner.since(), primarySince);
    }

    /// A learner keeps its open intents until the source's rows have come.
    boolean dropsIntentsAtOnce() {
        return false;
    }

    /// The source answers when no write from before `since` is undecided, and the store shows them all.
    boolean listsWhileUndecided() {
        return false;
    }

    /// Of a write that the source has committed, a learner has its own slice only.
    boolean hasCommitted(OpenIntent intent, int own) {
        return intent.fits(own);
    }

    /// A row with another slice of the source's version is copied like one of another version.
    boolean isSame(Slice learners, ObjectVersion sources, int own) {
        return learners.has(sources, own);
    }

    /// The source's row replaces an older one of the learner, and also a newer one.
    boolean replaces(ObjectVersion learners, ObjectVersion sources) {
        return true;
    }

    /// A learner deletes what the source lacks.
    boolean deletesWhatIsMissing() {
        return true;
    }

    /// A pulled row that is not newer than a deletion committed meanwhile is dropped.
    boolean remembersDeletions() {
        return true;
    }

    /// A learner's comparison sees the rows without those that are purged, though the store has them still.
    boolean ordersPurges() {
        return true;
    }

    /// A learner has learned when it has pulled all.
    boolean skipsPulls() {
        return false;
    }
}
