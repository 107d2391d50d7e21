package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The checker of replicated buckets sees what must not be.
final class KeyHistoryTest {
    private static final Optional<KeyHistory.Body> NOTHING = Optional.empty();
    private static final Optional<KeyHistory.Body> FIRST = body("first");
    private static final Optional<KeyHistory.Body> SECOND = body("second");
    private static final Optional<KeyHistory.Body> THIRD = body("third");

    private final KeyHistory history = new KeyHistory("a/1");

    private static Optional<KeyHistory.Body> body(String name) {
        return Optional.of(KeyHistory.Body.of(Content.of(name, 100)));
    }

    private void acknowledge(Optional<KeyHistory.Body> body) {
        history.acknowledged(history.begin(body));
    }

    private void read(Optional<KeyHistory.Body> found) {
        history.found("GET", history.reading(), found);
    }

    private void requireWrong(int from, Optional<KeyHistory.Body> found, String... words) {
        assertThatThrownBy(() -> history.found("GET", from, found))
                .isInstanceOf(AssertionError.class)
                .message()
                .contains("GET of 'a/1'")
                .satisfies(message -> assertThat(List.of(words)).allMatch(message::contains));
    }

    private void requireWrong(Optional<KeyHistory.Body> found, String... words) {
        requireWrong(history.reading(), found, words);
    }

    @Test
    void lostWriteIsWrong() {
        read(NOTHING);
        acknowledge(FIRST);
        requireWrong(NOTHING, "expected 100 bytes", "got nothing");
        read(FIRST);
        acknowledge(SECOND);
        requireWrong(FIRST, "was change 1 of 2; 2 was acknowledged");
        requireWrong(NOTHING);
        read(SECOND);
    }

    @Test
    void deletedKeyThatReturnsIsWrong() {
        acknowledge(FIRST);
        acknowledge(NOTHING);
        requireWrong(FIRST, "expected nothing");
        read(NOTHING);
    }

    @Test
    void otherBytesAreWrong() {
        acknowledge(FIRST);
        requireWrong(SECOND);
        var short1 = Optional.of(KeyHistory.Body.of(Content.of("first", 99)));
        requireWrong(short1, "got 99 bytes");
    }

    @Test
    void changeWithoutAnswerMayHaveHappenedOrNot() {
        acknowledge(FIRST);
        history.begin(SECOND);
        read(FIRST);
        read(SECOND);
        requireWrong(FIRST, "was change 1 of 2");
    }

    @Test
    void changeWithoutAnswerIsDecidedWhenALaterOneIsAcknowledged() {
        acknowledge(FIRST);
        history.begin(SECOND);
        history.begin(NOTHING);
        acknowledge(THIRD);
        requireWrong(SECOND);
        requireWrong(NOTHING);
        read(THIRD);
    }

    @Test
    void readThatBeganBeforeAChangeMayFindOldOrNew() {
        acknowledge(FIRST);
        int from = history.reading();
        acknowledge(SECOND);
        history.found("GET", from, FIRST);
        history.found("GET", from, SECOND);
        requireWrong(from, NOTHING);
        requireWrong(FIRST);
    }

    @Test
    void laterReadFindsNothingOlder() {
        acknowledge(FIRST);
        int slow = history.reading();
        history.begin(SECOND);
        read(SECOND);
        requireWrong(FIRST);
        history.found("GET", slow, FIRST);
    }
}
