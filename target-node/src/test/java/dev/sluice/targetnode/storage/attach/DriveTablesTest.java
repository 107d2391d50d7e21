package dev.sluice.targetnode.storage.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DriveTablesTest {
    private static final DriveTable THREE =
            DriveTable.of(Map.of("a", Member.at("/a", 1), "b", Member.at("/b", 1), "c", Member.at("/c", 1)));

    private final List<DriveTable> recorded = new ArrayList<>();
    private Set<String> having = Set.of("a", "b", "c");

    private final DriveTables tables = new DriveTables(
            THREE,
            (next, asked) -> {
                assertThat(asked).isEqualTo(Set.of("a", "b", "c"));
                recorded.add(next);
                return having;
            },
            () -> Instant.ofEpochMilli(1000));

    @Test
    void aChangeIsRecordedBeforeItCountsAndBeforeAnyoneHearsOfIt() {
        var heard = new ArrayList<DriveTable>();
        tables.listen(table -> {
            assertThat(recorded).contains(table);
            assertThat(tables.current()).isEqualTo(table);
            heard.add(table);
        });
        var changed = tables.change(table -> table.without("b"));
        assertThat(changed.current().weights()).containsOnlyKeys("a", "c");
        assertThat(heard).containsExactly(changed);
        assertThat(tables.change(table -> table.without("b"))).isSameAs(changed);
        assertThat(recorded).hasSize(1);
    }

    @Test
    void aChangeThatTooFewDrivesHaveDoesNotCountAndItsVersionIsNotUsedAgain() {
        having = Set.of("a");
        assertThatThrownBy(() -> tables.change(table -> table.without("b")))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(tables.current()).isEqualTo(THREE);
        having = Set.of("a", "c");
        var changed = tables.change(table -> table.without("b"));
        assertThat(recorded.getFirst().version()).isEqualTo(1000);
        assertThat(changed.version()).isEqualTo(1001);
    }

    @Test
    void nothingChangesAfterTheEnd() {
        assertThat(tables.end()).isEqualTo(THREE);
        assertThatThrownBy(() -> tables.change(table -> table.without("b")))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(recorded).isEmpty();
    }
}
