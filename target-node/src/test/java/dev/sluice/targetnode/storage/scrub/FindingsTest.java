package dev.sluice.targetnode.storage.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ScrubFinding;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FindingsTest {
    private static ScrubFinding finding(String path, long at) {
        return new ScrubFinding(
                ScrubFinding.Kind.DAMAGED, ScrubFinding.Action.MARKED, "b", "k", path, "x".repeat(5000), at);
    }

    @Test
    void aFindingStaysUntilAWholePassDoesNotMakeItAgain() {
        var findings = new Findings();
        findings.add(finding("a", 10));
        findings.add(finding("b", 11));
        findings.passEnded(5);
        findings.add(finding("b", 20));
        assertThat(findings.latest()).extracting(ScrubFinding::path).containsExactly("b", "a");
        findings.passEnded(15);
        assertThat(findings.latest()).extracting(ScrubFinding::path).containsExactly("b");
        assertThat(findings.total()).isEqualTo(1);
    }

    @Test
    void theListIsBoundedTheCountIsNot() throws IOException {
        var findings = new Findings();
        for (int i = 0; i < 250; i++) {
            findings.add(finding("p" + i, 10));
        }
        assertThat(findings.total()).isEqualTo(250);
        assertThat(findings.latest()).hasSize(Findings.KEPT);
        assertThat(findings.latest().getFirst().path()).isEqualTo("p249");
        var stored = new Findings();
        stored.decode(findings.encode());
        assertThat(stored.latest()).isEqualTo(findings.latest());
        assertThat(stored.total()).isEqualTo(250);
        stored.passEnded(1);
        assertThat(stored.total()).isEqualTo(250);
        stored.passEnded(100);
        assertThat(stored.total()).isZero();
    }
}
