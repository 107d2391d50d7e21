package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// What was found in the last whole pass and the one under way. A finding stays until a whole pass did not make it
/// again. Only the newest are kept; the others are counted.
final class Findings {
    static final int KEPT = 100;
    private static final int FORMAT = 1;
    private static final int LONGEST = 2_000;

    private final List<ScrubFinding> kept = new ArrayList<>(); // newest last
    private long forgottenBefore;
    private long forgotten;
    private boolean changed;

    synchronized void add(ScrubFinding finding) {
        kept.removeIf(each -> each.path().equals(finding.path()));
        kept.add(shortened(finding));
        if (kept.size() > KEPT) {
            kept.removeFirst();
            forgotten++;
        }
        changed = true;
    }

    private static ScrubFinding shortened(ScrubFinding finding) {
        var why = finding.why().length() > LONGEST ? finding.why().substring(0, LONGEST) : finding.why();
        return new ScrubFinding(
                finding.kind(),
                finding.action(),
                finding.bucket(),
                finding.key(),
                finding.path(),
                why,
                finding.foundMillis());
    }

    /// Forgets what this pass, now over, did not find again.
    synchronized void passEnded(long begunMillis) {
        changed |= kept.removeIf(each -> each.foundMillis() < begunMillis) || forgottenBefore != forgotten;
        forgottenBefore = forgotten;
        forgotten = 0;
    }

    synchronized long total() {
        return kept.size() + Math.max(forgotten, forgottenBefore);
    }

    synchronized List<ScrubFinding> latest() {
        return List.copyOf(kept.reversed());
    }

    /// Whether there is something to be stored since this was asked last.
    synchronized boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    synchronized byte[] encode() {
        var out = new PackedWriter(FORMAT)
                .number(forgottenBefore)
                .number(forgotten)
                .number(kept.size());
        for (var each : kept) {
            out.text(each.kind().name())
                    .text(each.action().name())
                    .text(each.bucket())
                    .text(each.key())
                    .text(each.path())
                    .text(each.why())
                    .number(each.foundMillis());
        }
        return out.sealed();
    }

    synchronized void decode(byte[] value) throws IOException {
        var in = new PackedReader("the findings of a scrub", value, FORMAT);
        forgottenBefore = in.number();
        forgotten = in.number();
        for (long left = in.number(); left > 0; left--) {
            kept.add(new ScrubFinding(
                    ScrubFinding.Kind.valueOf(in.text()),
                    ScrubFinding.Action.valueOf(in.text()),
                    in.text(),
                    in.text(),
                    in.text(),
                    in.text(),
                    in.number()));
        }
    }
}
