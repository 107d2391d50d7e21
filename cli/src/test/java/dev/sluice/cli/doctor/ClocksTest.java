package dev.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is said of the nodes' clocks.
final class ClocksTest {
    private static final Map<String, Duration> NOBODY_ANSWERS = Map.of();

    @Test
    void asFarApartAsAnAnswerCannotTellIsFine() {
        assertThat(WholeCluster.clocks(ahead(0, 1))).extracting(Finding::level).containsExactly(Finding.Level.FINE);
        assertThat(WholeCluster.clocks(NOBODY_ANSWERS)).isEmpty();
    }

    @Test
    void clocksThatDifferAreNamed() {
        assertThat(WholeCluster.clocks(ahead(0, 5))).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Finding.Level.WARNING);
            assertThat(finding.what()).isEqualTo("target001 is 5 s ahead of proxy001");
        });
        assertThat(WholeCluster.clocks(ahead(-20, 20))).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Finding.Level.PROBLEM);
            assertThat(finding.what()).contains("40 s ahead", "redirects fail");
            assertThat(finding.next()).isNotEmpty();
        });
    }

    @Test
    void thisMachineMayBeTheOneThatIsWrong() {
        for (int seconds : new int[] {-400, 400}) {
            assertThat(WholeCluster.clocks(ahead(seconds, seconds)))
                    .extracting(Finding::level)
                    .containsExactly(Finding.Level.FINE, Finding.Level.PROBLEM);
        }
    }

    private static Map<String, Duration> ahead(int proxy, int target) {
        return Map.of("proxy001", Duration.ofSeconds(proxy), "target001", Duration.ofSeconds(target));
    }
}
