package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Browser;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import dev.sluice.testing.Notes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// The cluster's page in a browser (`deploy/peers install chromium`).
@Tag("shared")
@Tag("long")
final class PageTest {
    private static final Duration SHOWN = Duration.ofSeconds(30);
    private static final int KEYS = 20;

    @TempDir
    private Path folder;

    @Test
    void pageShowsTheClusterAndABucketThatIsClicked(@Running(Mode.SEPARATE) SluiceCluster cluster) throws IOException {
        cluster.run("bucket", "create", "watched", "--quota", "1GiB");
        try (var s3 = cluster.endpoint().client();
                var browser = new Browser(folder.resolve("chromedriver.log"))) {
            browser.open(cluster.run("ui").outText().strip());
            Eventually.holds(
                    SHOWN,
                    () -> assertThat(browser.run("return document.querySelectorAll('#nodes tbody tr').length")
                                    .asInt())
                            .isEqualTo(cluster.nodes().size()));
            var loaded = browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd")
                    .asDouble();
            Notes.add("the page was loaded after %.0f ms".formatted(loaded));
            browser.run("[...document.querySelectorAll('#buckets tr')]"
                    + ".find(row => row.textContent.startsWith('watched')).click()");
            assertThat(browser.run("return document.querySelector('#reads figcaption').textContent")
                            .asText())
                    .startsWith("watched: bytes read a second");
            Eventually.holds(SHOWN, () -> {
                for (int i = 0; i < KEYS; i++) {
                    var key = "k" + i;
                    s3.putObject(
                            request -> request.bucket("watched").key(key),
                            RequestBody.fromBytes(Content.of(key, 100_000)));
                    s3.getObjectAsBytes(request -> request.bucket("watched").key(key));
                }
                assertThat(browser.run("return document.querySelector('#reads path').getAttribute('d')")
                                .asText())
                        .contains(" 2"); // the most that the chart shows
            });
            assertThat(browser.run("return document.querySelector('#notice').textContent")
                            .asText())
                    .contains("as proxy001 knows it");
            assertThat(browser.complaints()).isEmpty();
            Files.write(Path.of("target", "page.png"), browser.screenshot());
        }
    }
}
