package dev.sluice.common.peer;

import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// A failure as it travels between nodes.
///
/// @param kind the simple name of the [StoreException]
/// @param subject what the exception was made with: a bucket's name, the leader's id, or the message
public record PeerFailure(String kind, String subject) {

    public static PeerFailure of(StoreException failure) {
        if (failure instanceof StoreException.NotLeader other) {
            return new PeerFailure("NotLeader", other.leader().orElse(""));
        }
        var message = failure.getMessage();
        return new PeerFailure(failure.getClass().getSimpleName(), message == null ? "" : message);
    }

    /// The kinds that a caller must tell apart keep their type; all others mean "not now".
    public StoreException toException() {
        return switch (kind) {
            case "NoSuchBucket" -> new StoreException.NoSuchBucket(afterColon());
            case "BucketExists" -> new StoreException.BucketExists(afterColon());
            case "NoSuchKey" -> new StoreException.NoSuchKey(afterColon());
            case "PreconditionFailed" -> new StoreException.PreconditionFailed(afterColon());
            case "InvalidArgument" -> new StoreException.InvalidArgument(subject);
            case "NoSpace" -> new StoreException.NoSpace(subject);
            case "Damaged" -> new StoreException.Damaged(subject);
            case "NotLeader" ->
                new StoreException.NotLeader(
                        subject.isEmpty() ? "it does not lead, nor knows who does" : "the leader is " + subject,
                        Optional.of(subject).filter(id -> !id.isEmpty()));
            case "BackendDenied" -> new StoreException.BackendDenied(subject);
            default -> new StoreException.Unavailable(subject);
        };
    }

    private String afterColon() {
        return subject.substring(subject.indexOf(": ") + 2);
    }
}
