package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.Repository;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// TLS with one process per node: they call each other through it.
final class SeparateTlsTest extends TlsTests {
    SeparateTlsTest() {
        super(Mode.SEPARATE);
    }

    @Tag("long")
    @Test
    void theCloudOfAMeasurementMayWantTls() {
        var keys = new HashMap<>(cluster().endpoint().environment());
        keys.put("AWS_CA_BUNDLE", certificate().toString());
        var command = List.of(
                Repository.root().resolve("sluice").toString(),
                "bench-cold",
                "--s3=" + cluster().endpoint().url(),
                "--rounds=1",
                "--size-mib=2",
                "--readers=4",
                "--warm-up=2",
                "--latency-ms=1");
        assertThat(Finished.run(Duration.ofMinutes(2), keys, command).orFail("").outText())
                .contains("backend GETs: 1 an object; 1 with 4 readers at once");
    }
}
