package dev.sluice.targetnode.storage.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoomStepsTest {
    private static final int MIB = 1 << 20;

    private long held;

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100_000, MIB, MIB + 1, 65L * MIB, 300L * MIB + 17})
    void roomIsTakenAheadOfTheBytesButNeverMoreThanAStep(long length) {
        var steps = new RoomSteps(length, this::take);
        assertThat(held).isEqualTo(Math.min(length, MIB));
        var random = new Random(7);
        for (long came = 0; came < length; ) {
            long piece = Math.min(length - came, 1 + random.nextInt(3 * MIB));
            steps.come(piece);
            came += piece;
            assertThat(held).isBetween(came, Math.min(length, came + RoomSteps.STEP));
        }
        assertThat(held).isEqualTo(length);
    }

    @Test
    void writeOfUnknownLengthTakesWhatComes() {
        var steps = new RoomSteps(-1, this::take);
        assertThat(held).isZero();
        steps.come(5);
        assertThat(held).isEqualTo(5);
        steps.come(200L * MIB);
        assertThat(held).isEqualTo(200L * MIB + 5);
    }

    @Test
    void stepThatIsRefusedIsNotTaken() {
        var steps = new RoomSteps(100L * MIB, (from, to) -> {
            if (to > MIB) {
                throw new IllegalStateException("full");
            }
            take(from, to);
        });
        steps.come(MIB);
        assertThatThrownBy(() -> steps.come(1)).hasMessage("full");
        assertThat(held).isEqualTo(MIB);
    }

    private void take(long from, long to) {
        assertThat(from).isEqualTo(held);
        held = to;
    }
}
