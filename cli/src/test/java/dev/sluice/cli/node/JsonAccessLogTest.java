package dev.sluice.cli.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.common.http.engine.AccessLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonAccessLogTest {
    @TempDir
    private Path folder;

    private static AccessLog.Entry entry(String path, String query) {
        return new AccessLog.Entry(
                0, "r1", "10.0.0.7", "GET", path, query, 206, 0, 1234, Duration.ofNanos(1_482_900), true);
    }

    @Test
    void eachRequestIsOneLineOfJson() throws IOException {
        var file = folder.resolve("access.json");
        try (var first = JsonAccessLog.open("target001", file);
                var second = JsonAccessLog.open("target002", file)) {
            first.answered(entry("/b/\"k\"\n", "partNumber=1&X-Amz-Signature=abc"));
            first.flush();
            second.answered(entry("/b/k", ""));
            second.flush();
        }
        var lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst())
                .isEqualTo("{\"time\":\"1970-01-01T00:00:00Z\",\"node\":\"target001\",\"request_id\":\"r1\","
                        + "\"remote\":\"10.0.0.7\",\"method\":\"GET\",\"path\":\"/b/\\\"k\\\"\\n\","
                        + "\"query\":\"partNumber=1\",\"status\":206,\"bytes_in\":0,\"bytes_out\":1234,"
                        + "\"milliseconds\":1.482,\"complete\":true}");
        var second = new JsonMapper().readTree(lines.getLast());
        assertThat(second.path("node").asText()).isEqualTo("target002");
        assertThat(second.has("query")).isFalse();
    }

    @Test
    void linesBeyondTheBufferAreWrittenBeforeTheFlush() throws IOException {
        var file = folder.resolve("access.json");
        try (var log = JsonAccessLog.open("target001", file)) {
            for (int i = 0; i < 1000; i++) {
                log.answered(entry("/b/k" + i, ""));
            }
            assertThat(Files.size(file)).isPositive();
            log.flush();
        }
        assertThat(Files.readAllLines(file))
                .hasSize(1000)
                .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
    }

    @Test
    void aFileThatCannotBeWrittenIsRefusedWithItsSetting() {
        assertThatThrownBy(() -> JsonAccessLog.open("target001", folder.resolve("missing/access.json")))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("log.access_log", "missing/access.json");
    }

    @ParameterizedTest
    @CsvSource({
        "X-Amz-Signature=s, ''",
        "X-Amz-Credential=c&prefix=a, prefix=a",
        "prefix=a&X-Amz-Security-Token=t&list-type=2, prefix=a&list-type=2",
        "AWSAccessKeyId=k&Expires=1&Signature=s, Expires=1",
        "x-sluice-token=t, ''",
        "authorization=a, ''",
        "x%2Damz%2Dsig%6Eature=s&delete, delete",
        "%zz=s&uploads, uploads",
    })
    void whatGivesAccessIsLeftOut(String query, String logged) {
        assertThat(LoggedQuery.of(query)).isEqualTo(logged);
    }
}
