package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Examines one object after the other, sees to what is wrong, and writes it down.
final class ObjectCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectCheck.class);
    private static final int UNREADABLE_AT_MOST = 16;

    private final Drive drive;
    private final ObjectVerifier examination;
    private final DamageRepair treatment;
    private final Findings findings;
    private final Clock ticks;
    private int unreadable;

    ObjectCheck(Drive drive, ObjectVerifier examination, DamageRepair treatment, Findings findings, Clock ticks) {
        this.drive = drive;
        this.examination = examination;
        this.treatment = treatment;
        this.findings = findings;
        this.ticks = ticks;
    }

    void check(BucketRef bucket, String key) throws IOException {
        switch (examination.examine(bucket, key)) {
            case ObjectCheckResult.Whole() -> unreadable = 0;
            case ObjectCheckResult.Gone() -> {}
            case ObjectCheckResult.Restored(var entry) -> {
                LOG.info("'{}' in {} is whole again", key, bucket.name());
                treatment.unmark(bucket, key, entry);
            }
            case ObjectCheckResult.Unknown(var why) ->
                found(ScrubFinding.Kind.UNREADABLE, ScrubFinding.Action.KEPT, bucket, key, "", why);
            case ObjectCheckResult.Bad bad -> {
                drive.requireThere(); // or nothing is damaged, everything is gone
                var treated = treatment.of(bucket, key, bad);
                var at = bad.entry()
                        .map(entry -> Layout.path(bucket, key, entry))
                        .orElse("");
                found(bad.kind(), treated.action(), bucket, key, at, treated.why());
                if (bad.kind() == ScrubFinding.Kind.UNREADABLE) {
                    tell(bad.why());
                }
            }
        }
    }

    private void found(
            ScrubFinding.Kind kind, ScrubFinding.Action action, BucketRef bucket, String key, String at, String why) {
        var place = at.isEmpty() ? bucket.name() + "/" + key : at;
        LOG.error("scrub of drive {}: '{}' in {}: {}: {} ({})", drive.id(), key, bucket.name(), kind, why, action);
        var brief = why.startsWith(place) ? why.substring(place.length()).replaceFirst("^[: ]+", "") : why;
        findings.add(new ScrubFinding(kind, action, bucket.name(), key, place, brief, ticks.millis()));
    }

    /// The drive hears of an error as of any other; a drive that gives nothing but errors is not read on.
    private void tell(String why) throws IOException {
        drive.suspicion().add("scrub", new IOException(why));
        if (++unreadable >= UNREADABLE_AT_MOST) {
            unreadable = 0;
            throw new IOException("%d objects in a row could not be read: %s".formatted(UNREADABLE_AT_MOST, why));
        }
    }
}
