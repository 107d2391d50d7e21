package dev.sluice.backend.gcs;

import com.google.cloud.storage.StorageException;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendFailure;
import dev.sluice.backend.access.ConnectGuard;
import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// The only place where an exception of Google's client gets its meaning.
final class GcsFailures {
    private final BackendAddress address;

    GcsFailures(BackendAddress address) {
        this.address = address;
    }

    BackendFailure explain(RuntimeException thrown, String key) {
        var refused = ConnectGuard.refusal(thrown);
        if (refused.isPresent()) {
            return BackendFailure.finalAnswer(refused.get());
        }
        return switch (thrown) {
            case StoreException known -> BackendFailure.finalAnswer(known);
            case StorageException answer -> byStatus(answer, key);
            default -> BackendFailure.passing(unavailable(thrown));
        };
    }

    private BackendFailure byStatus(StorageException answer, String key) {
        var says = address + " says " + answer.getCode() + ": " + answer.getMessage();
        return switch (answer.getCode()) {
            case 404 -> BackendFailure.finalAnswer(new StoreException.NoSuchKey(key));
            case 401, 403 -> BackendFailure.finalAnswer(StoreException.BackendDenied.wantsCredentials(says));
            case 304, 412 -> BackendFailure.finalAnswer(new StoreException.PreconditionFailed("version of " + key));
            case 416 -> BackendFailure.finalAnswer(new StoreException.RangeNotSatisfiable(0));
            case 400, 405, 411, 413, 501 -> BackendFailure.finalAnswer(new StoreException.InvalidArgument(says));
            case 429, 503 -> BackendFailure.throttled(unavailable(answer), Optional.empty());
            default -> BackendFailure.passing(unavailable(answer));
        };
    }

    private StoreException unavailable(RuntimeException thrown) {
        return new StoreException.BackendUnavailable(address + " does not answer: " + thrown.getMessage(), thrown);
    }
}
