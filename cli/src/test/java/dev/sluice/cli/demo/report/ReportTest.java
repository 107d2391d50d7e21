package dev.sluice.cli.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.cli.demo.cloud.RequestKind;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.ImageShards;
import dev.sluice.cli.demo.reading.EpochOutcome;
import dev.sluice.cli.demo.reading.ShardRead;
import dev.sluice.cli.demo.reading.ShardRead.RecordCounts;
import dev.sluice.cli.demo.report.DemoReport.DataSetFacts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Traffic ONE_GET_EACH =
            new Traffic(Map.of(RequestKind.GET, 2L, RequestKind.LIST, 1L), Map.of("/b/a", 1L, "/b/b", 1L), 500, 4_000);

    private final EpochReport cold = epoch(1, ONE_GET_EACH, new RecordCounts(10, 0, 0));
    private final EpochReport warm = epoch(2, Traffic.NONE, new RecordCounts(10, 0, 0));

    @Test
    void oneGetPerShardAndThenNoneIsGood() throws IOException {
        assertThat(report(cold, warm).complaints()).isEmpty();
        assertThat(cold.hitRate()).isZero();
        assertThat(warm.hitRate()).isEqualTo(1);
    }

    @Test
    void anythingElseIsNot() throws IOException {
        assertThat(report(cold, epoch(2, ONE_GET_EACH, new RecordCounts(10, 0, 0)))
                        .complaints())
                .hasSize(2);
        assertThat(report(epoch(1, Traffic.NONE, new RecordCounts(10, 0, 0))).complaints())
                .hasSize(2);
        var twice = new Traffic(Map.of(RequestKind.GET, 3L), Map.of("/b/a", 2L, "/b/b", 1L), 0, 0);
        assertThat(report(epoch(1, twice, new RecordCounts(10, 0, 0))).good()).isFalse();
        var another = new Traffic(Map.of(RequestKind.GET, 1L), Map.of("/b/c", 1L), 0, 0);
        assertThat(report(cold, epoch(2, another, new RecordCounts(10, 0, 0))).good())
                .isFalse();
        assertThat(report(cold, epoch(2, Traffic.NONE, new RecordCounts(9, 1, 0)))
                        .good())
                .isFalse();
        assertThat(report(cold, epoch(2, Traffic.NONE, new RecordCounts(9, 0, 1)))
                        .good())
                .isFalse();
    }

    @Test
    void theTableHasALinePerEpoch() throws IOException {
        List<String> lines = TextTable.of(report(cold, warm)).lines().toList();
        assertThat(lines.get(0)).contains("samples/s", "hit rate", "right");
        assertThat(lines.get(1)).contains("cold", "0 %").hasSameSizeAs(lines.get(0));
        assertThat(lines.get(2)).contains("warm", "100 %").hasSameSizeAs(lines.get(0));
        assertThat(lines.getLast()).startsWith("Every digest is right");
    }

    @Test
    void thePageIsWellFormedAndNeedsNothingElse() throws Exception {
        String page = HtmlPage.of(report(cold, epoch(2, Traffic.NONE, new RecordCounts(9, 1, 0))));
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(page.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("svg").getLength()).isEqualTo(4 + 2);
        assertThat(document.getElementsByTagName("img").getLength()).isEqualTo(10);
        assertThat(document.getElementsByTagName("script").getLength()).isZero();
        assertThat(page.replace("http://www.w3.org/1999/xhtml", "")).doesNotContain("http:", "https:", "url(");
        assertThat(page).contains("&lt;far&gt;", "2 records with a wrong digest");
    }

    @Test
    void programsGetTheSame() throws IOException {
        var json = new ObjectMapper().readTree(JsonReport.of(report(cold, warm)));
        assertThat(json.path("good").asBoolean()).isTrue();
        assertThat(json.at("/epochs/0/backend_requests/get").asLong()).isEqualTo(2);
        assertThat(json.at("/epochs/1/digests_right").asLong()).isEqualTo(20);
    }

    private static DemoReport report(EpochReport... epochs) throws IOException {
        var facts = new DataSetFacts(2, 20, 4_000, new ImageShards(1, 1, 1).gallery());
        return new DemoReport(facts, "a cloud <far> away", 2, List.of(epochs));
    }

    private static EpochReport epoch(int number, Traffic traffic, RecordCounts each) {
        var outcome = new EpochOutcome(List.of(shard("a", 0, each), shard("b", 1, each)), Duration.ofMillis(100));
        return new EpochReport(number, number == 1, outcome, traffic);
    }

    private static ShardRead shard(String key, int worker, RecordCounts records) {
        return new ShardRead(
                key,
                worker,
                Duration.ZERO,
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                2_000,
                records,
                Optional.empty());
    }
}
