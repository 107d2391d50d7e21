package dev.sluice.targetnode.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
    static final NodeId SELF = new NodeId("target001");
    static final List<Node> OTHERS = IntStream.rangeClosed(2, 5)
            .mapToObj(number ->
                    new Node(new NodeId("target00" + number), Role.TARGET, "http://127.0.0.1:" + number, "", 1))
            .toList();
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private static final int SILENT = Integer.MIN_VALUE;

    /// @param seconds by which the others' clocks differ
    private static Optional<String> problem(int... seconds) {
        var left = new ConcurrentLinkedQueue<Optional<Instant>>();
        for (int each : seconds) {
            left.add(each == SILENT ? Optional.empty() : Optional.of(NOW.plus(Duration.ofSeconds(each))));
        }
        return new ClockCheck(
                        SELF, () -> OTHERS.subList(0, seconds.length), _ -> left.remove(), InstantSource.fixed(NOW))
                .problem();
    }

    @Test
    void mostClocksAreRight() {
        assertThat(problem()).as("the only target").isEmpty();
        assertThat(problem(0)).isEmpty();
        assertThat(problem(59)).isEmpty();
        assertThat(problem(-59)).isEmpty();
        assertThat(problem(0, 61)).as("that one is wrong").isEmpty();
        assertThat(problem(0, SILENT)).isEmpty();
        assertThat(problem(0, -3600, 3600, 0)).isEmpty();
    }

    @Test
    void aClockThatMostDifferFromIsNotTrusted() {
        assertThat(problem(61)).as("nobody knows which one of two is right").isPresent();
        assertThat(problem(-61, -61)).isPresent();
        assertThat(problem(0, 3600, 3600, 3600)).isPresent();
        assertThat(problem(SILENT, 3600)).isPresent();
    }

    @Test
    void withoutAnyAnswerItIsNotKnown() {
        assertThat(problem(SILENT)).isPresent();
        assertThat(problem(SILENT, SILENT)).isPresent();
    }
}
