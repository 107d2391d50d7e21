package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// What a deletion asks of the object; all of it must hold.
///
/// @param ifMatch an ETag, quoted or not, a list, or `*`; without an object it does not hold
/// @param ifSize its bytes
/// @param ifModified when it was last modified; its second counts
public record DeleteConditions(Optional<String> ifMatch, Optional<Long> ifSize, Optional<Instant> ifModified) {
    public static final DeleteConditions NONE =
            new DeleteConditions(Optional.empty(), Optional.empty(), Optional.empty());

    public boolean none() {
        return ifMatch.isEmpty() && ifSize.isEmpty() && ifModified.isEmpty();
    }

    /// For an object that exists, judged under the key's lock at commit.
    ///
    /// @param etag without quotes
    public void check(String etag, long size, Instant modified) {
        require(ifMatch.isEmpty() || Conditions.matches(ifMatch.get(), etag), "If-Match");
        require(ifSize.isEmpty() || ifSize.get() == size, "x-amz-if-match-size");
        require(
                ifModified.isEmpty() || second(ifModified.get()).equals(second(modified)),
                "x-amz-if-match-last-modified-time");
    }

    /// For a key without an object.
    public void checkAbsent(String key) {
        if (ifMatch.isPresent()) {
            throw new StoreException.NoSuchKey(key);
        }
    }

    private static void require(boolean holds, String condition) {
        if (!holds) {
            throw new StoreException.PreconditionFailed(condition);
        }
    }

    private static Instant second(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }
}
