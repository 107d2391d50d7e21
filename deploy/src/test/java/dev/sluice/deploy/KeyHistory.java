package dev.sluice.deploy;

import dev.sluice.testing.PromiseBroken;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What one key may hold, by the changes that were sent and the answers to them. Changes come from one client, one
/// after the other; reads from any number of clients at any time.
///
/// A read must find a change that is not older than the newest one that was acknowledged, or that an earlier read has
/// found, when the read began. A change without a good answer may have happened or not, until a later change
/// is acknowledged.
final class KeyHistory {
    /// A content, which no other change has.
    ///
    /// @param md5 in hex, as its ETag says
    record Body(int length, String md5) {
        static Body of(byte[] bytes) {
            return new Body(bytes.length, Content.md5(bytes));
        }

        @Override
        public String toString() {
            return length + " bytes of MD5 " + md5;
        }
    }

    private static final int SHOWN = 8;

    private final String key;
    private final List<Optional<Body>> changes = new ArrayList<>(List.of(Optional.empty()));
    private final ArrayDeque<String> events = new ArrayDeque<>();
    private int oldest;

    KeyHistory(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    /// @param to empty for a deletion
    /// @return the number of the change
    synchronized int begin(Optional<Body> to) {
        changes.add(to);
        int change = changes.size() - 1;
        note("%d begun: %s".formatted(change, text(to)));
        return change;
    }

    synchronized void acknowledged(int change) {
        note(change + " acknowledged");
        oldest = Math.max(oldest, change);
    }

    /// A read begins.
    ///
    /// @return for [#found]
    synchronized int reading() {
        return oldest;
    }

    /// What a read found.
    ///
    /// @param from what [#reading] said when it began
    /// @throws PromiseBroken when it must not be
    synchronized void found(String what, int from, Optional<Body> found) {
        for (int i = from; i < changes.size(); i++) {
            if (changes.get(i).equals(found)) {
                oldest = Math.max(oldest, i);
                return;
            }
        }
        throw new PromiseBroken("%s of '%s', which ended at %s: expected %s, got %s%s; changes: %s"
                .formatted(
                        what,
                        key,
                        Instant.now(),
                        expected(from),
                        text(found),
                        seenBefore(from, found),
                        String.join(", ", events)));
    }

    /// For whoever looks into logs.
    private void note(String event) {
        events.add(Instant.now() + " " + event);
        if (events.size() > SHOWN) {
            events.remove();
        }
    }

    private String expected(int from) {
        return changes.subList(from, changes.size()).stream()
                .map(KeyHistory::text)
                .collect(Collectors.joining(", or "));
    }

    private String seenBefore(int from, Optional<Body> found) {
        int at = changes.subList(0, from).lastIndexOf(found);
        return at < 0
                ? ""
                : ", which was change %d of %d; %d was acknowledged or read".formatted(at, changes.size() - 1, from);
    }

    private static String text(Optional<Body> body) {
        return body.map(Body::toString).orElse("nothing");
    }
}
