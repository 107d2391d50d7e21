package dev.sluice.targetnode.replica.core;

import java.util.List;

/// The replication protocol for one slot of one group on one drive, in one process: primary–backup with a log of
/// memberships (PacificA, vertical Paxos). The drive is primary, member or learner, as the newest applied row says.
///
/// **Use.** Events of one core are handed in one after the other, under the slot's lock. The actions returned are
/// carried out in their order; nothing of an event may be carried out before those of the events before it. Only
/// {@link #serving()} may be called from any thread at any time.
///
/// **Reads.** Take `serving()`, look at the row in the store, take `serving()` again: equal and open; then check the
/// lease; then answer.
///
/// **A new process** makes a new core with the incarnation that the log gave it, hands in the open intents of the drive
/// ({@link Event.Recovered}), then rows and messages. A core is also made for a drive that is in no row: it may be on a
/// fence list, and must acknowledge.
public final class SlotCore {
    private final String drive;
    private final int incarnation;
    private volatile Serving serving = Serving.NONE;

    public SlotCore(String drive, int incarnation) {
        this.drive = drive;
        this.incarnation = incarnation;
    }

    public List<Action> on(Event event, SlotContext context) {
        throw new UnsupportedOperationException(drive + incarnation + event + context);
    }

    /// The primacy under which this drive serves the slot, {@link Serving#NONE} if it does not.
    public Serving serving() {
        return serving;
    }

    /// Whether something is unanswered, so that a tick would repeat it.
    public boolean waits() {
        return false;
    }
}
