package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.pace.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the table can be settled: asked at once when something has changed, else every few seconds.
final class Question {
    private static final Logger LOG = LoggerFactory.getLogger(Question.class);
    private static final Duration AGAIN = Duration.ofSeconds(3);

    private final Settling settling;
    private final Clock ticks;
    private Optional<Asked> asked = Optional.empty();

    private record Asked(long version, Set<String> looked, long nanos, Optional<String> answer) {}

    Question(Settling settling, Clock ticks) {
        this.settling = settling;
        this.ticks = ticks;
    }

    /// @return why it is not settled
    Optional<String> ask(long version, Set<String> looked) {
        if (settling.isSettled(version)) {
            return Optional.empty();
        }
        var now = ticks.nanos();
        var lately = asked.filter(before ->
                before.version == version && before.looked.equals(looked) && now - before.nanos < AGAIN.toNanos());
        if (lately.isPresent()) {
            return lately.get().answer;
        }
        var answer = settling.settle(version, looked);
        asked = Optional.of(new Asked(version, looked, now, answer));
        if (answer.isEmpty()) {
            LOG.info("drive table {} is settled", version);
        }
        return answer;
    }

    void askAgain() {
        asked = Optional.empty();
    }
}
