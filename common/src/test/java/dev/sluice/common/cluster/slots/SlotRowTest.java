package dev.sluice.common.cluster.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Rows that count as opened although their primary has not said so.
class SlotRowTest {
    private static final Member A = new Member("a", true, 1, 5);
    private static final Member B = new Member("b", true, 1, 5);
    private static final Member LEARNER = new Member("c", false, 1, 5);

    private static SlotRow row(List<Member> members, String... fence) {
        return new SlotRow(5, members, 5, 5, List.of(fence), false);
    }

    @Test
    void rowWhereNobodyElseIsToBeAskedCountsAsOpened() {
        assertThat(row(List.of(LEARNER, A))).isEqualTo(new SlotRow(5, List.of(LEARNER, A), 5, 5, List.of(), true));
        assertThat(row(List.of(A), "a")).isEqualTo(new SlotRow(5, List.of(A), 5, 5, List.of(), true));
    }

    @Test
    void rowWithSomebodyToAskDoesNot() {
        assertThat(row(List.of(A), "b").opened()).isFalse();
        assertThat(row(List.of(A), "a", "b").opened()).isFalse();
        assertThat(row(List.of(A), "a", "b").fence()).containsExactly("a", "b");
        assertThat(row(List.of(A, B)).opened()).isFalse();
    }
}
