package dev.sluice.targetnode.replica.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class CellBudgetTest {
    private static final long MIB = 1 << 20;

    /// Reads that have begun do not wait for those that want to begin, nor the other way round.
    @Test
    void readsThatHaveBegunGoOnWhereNoOtherCanBegin() {
        var budget = new CellBudget(128 * MIB);
        var shares = Stream.generate(budget::share).limit(32).toList();
        shares.forEach(share -> share.begin(3));
        try (var late = budget.share()) {
            assertThatThrownBy(() -> late.begin(3)).isInstanceOf(StoreException.Unavailable.class);
            shares.getFirst().goOn(20);
            shares.getFirst().goOn(20);
            assertThat(budget.used()).isEqualTo((96 + 20) * MIB);
            shares.getLast().close();
            late.begin(3);
            late.begin(3);
            assertThat(budget.used()).isEqualTo((96 + 20) * MIB);
        }
        shares.forEach(CellBudget.Share::close);
        assertThat(budget.used()).isZero();
    }

    /// What is set aside is for when nothing else is free.
    @Test
    void readsGoOnWithWhatIsFree() {
        var budget = new CellBudget(128 * MIB);
        var shares = Stream.generate(budget::share).limit(5).toList();
        shares.forEach(share -> share.begin(3));
        shares.forEach(share -> share.goOn(20));
        assertThat(budget.used()).isEqualTo((15 + 100) * MIB);
        shares.getLast().close();
        try (var late = budget.share()) {
            late.begin(1);
            late.goOn(32);
            assertThat(budget.used()).isEqualTo((12 + 80 + 1 + 32) * MIB);
        }
        shares.forEach(CellBudget.Share::close);
        assertThat(budget.used()).isZero();
    }

    @Test
    void whatIsMoreThanThereIsTakesAll() {
        var budget = new CellBudget(0);
        try (var share = budget.share()) {
            share.begin(1_000);
            share.goOn(1_000);
            assertThat(budget.used()).isEqualTo(64 * MIB);
        }
        assertThat(budget.used()).isZero();
    }
}
