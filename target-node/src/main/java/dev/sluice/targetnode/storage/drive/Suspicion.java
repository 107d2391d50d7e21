package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.SyncFailedException;
import dev.sluice.targetnode.storage.index.DamagedIndexException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What speaks against a drive is weighed and told here; who takes drives out listens.
public final class Suspicion {
    private static final Logger LOG = LoggerFactory.getLogger(Suspicion.class);

    /// How much a failure says.
    public enum Weight {
        /// One call failed; the drive may be sound.
        ERROR,
        /// What is on the drive is not what memory says: it must be opened anew.
        UNKNOWN_OUTCOME,
        /// The same, and its index must be made anew.
        INDEX_DAMAGED
    }

    /// Told of every failure, on the thread that met it. Must not block.
    public interface Listener {
        void failed(Weight weight, String what);
    }

    private final String drive;
    private final KeptWritesMark mark;
    private final Listener listener;

    public Suspicion(String drive, Listener listener) {
        this(drive, KeptWritesMark.NONE, listener);
    }

    /// @param mark removed at the first failure
    public Suspicion(String drive, KeptWritesMark mark, Listener listener) {
        this.drive = drive;
        this.mark = mark;
        this.listener = listener;
    }

    KeptWritesMark mark() {
        return mark;
    }

    /// A drive that is merely full is not suspect.
    public void add(String during, Throwable failure) {
        if (!(failure instanceof DriveFullException)) {
            mark.remove();
            LOG.error("drive {} failed during {}", drive, during, failure);
            listener.failed(weight(failure), during + ": " + failure.getMessage());
        }
    }

    /// The same for a failure after which it is unknown what is on the drive, whatever failed.
    public void addUnknownOutcome(String during, Throwable failure) {
        mark.remove();
        LOG.error("drive {} failed during {}", drive, during, failure);
        var weight = weight(failure);
        listener.failed(weight == Weight.ERROR ? Weight.UNKNOWN_OUTCOME : weight, during + ": " + failure.getMessage());
    }

    private static Weight weight(Throwable failure) {
        return switch (failure) {
            case DamagedIndexException _ -> Weight.INDEX_DAMAGED;
            case SyncFailedException _ -> Weight.UNKNOWN_OUTCOME;
            default -> Weight.ERROR;
        };
    }
}
