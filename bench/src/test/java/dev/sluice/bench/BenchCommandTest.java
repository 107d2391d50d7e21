package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.bench.FakeStore.Misbehaviour;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {
    private FakeStore store = start(_ -> Misbehaviour.NONE);
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void stop() {
        store.close();
    }

    @Test
    void getReadsWhatWasPrepared() throws Exception {
        assertThat(run("get", "--size", "64KiB", "--objects", "7", "-c", "4", "--check"))
                .as(err.toString())
                .isZero();
        JsonNode json = json();
        assertThat(store.objects())
                .hasSize(7)
                .allSatisfy((_, bytes) -> assertThat(bytes).hasSize(64 << 10));
        long operations = json.path("operations").asLong();
        assertThat(operations).isPositive().isLessThanOrEqualTo(store.count("GET"));
        assertThat(json.path("mib_per_second").asDouble()).isEqualTo(operations / 16.0);
        assertThat(json.at("/latency_ms/p50").asDouble())
                .isPositive()
                .isLessThanOrEqualTo(json.at("/latency_ms/max").asDouble());
        assertThat(store.count("anonymous")).isZero();
    }

    @Test
    void putWritesTheSameBytesToFreshKeys() throws Exception {
        assertThat(run("put", "--size", "10KiB", "--fresh-keys", "--sign", "signed"))
                .isZero();
        long puts = store.count("PUT") - 1; // one made the bucket
        assertThat(store.objects()).hasSize((int) puts);
        assertThat(json().path("operations").asLong()).isPositive().isLessThanOrEqualTo(puts);
        byte[] first = store.objects().firstEntry().getValue();
        assertThat(first).hasSize(10 << 10);
        assertThat(store.objects().lastEntry().getValue()).isEqualTo(first);
    }

    @Test
    void headHasNoBodyAndTheRightLength() throws Exception {
        assertThat(run("head", "--size", "3000")).isZero();
        assertThat(json().path("mib_per_second").asDouble()).isZero();
        assertThat(json().path("operations").asLong()).isPositive().isLessThanOrEqualTo(store.count("HEAD"));
    }

    @Test
    void listCountsKeysOverAllPages() throws Exception {
        assertThat(run("list", "--objects", "25", "-c", "1")).isZero();
        JsonNode json = json();
        double keysPerPage = json.path("keys_per_second").asDouble()
                / json.path("ops_per_second").asDouble();
        assertThat(keysPerPage).as("pages of 10, 10 and 5").isBetween(8.0, 8.7);
    }

    @Test
    void mixedDoesAllThree() {
        assertThat(run("mixed", "--sign", "none")).isZero();
        assertThat(store.count("anonymous")).isGreaterThan(100);
        assertThat(run("mixed")).isZero();
        assertThat(store.count("GET")).isGreaterThan(store.count("HEAD"));
        assertThat(store.count("PUT")).isGreaterThan(100);
        assertThat(store.count("HEAD")).isPositive();
    }

    @Test
    void everyKindOfFailureIsCounted() throws Exception {
        Misbehaviour[] kinds = Misbehaviour.values();
        restart(number -> kinds[number % kinds.length]);
        assertThat(run("get", "--check", "-c", "4")).isEqualTo(1);
        JsonNode failures = json().path("failures");
        assertThat(failures.properties())
                .extracting(each -> each.getKey())
                .containsExactlyInAnyOrder("status 503", "connection closed", "wrong length", "wrong content");
        long failed = failures.properties().stream()
                .mapToLong(each -> each.getValue().asLong())
                .sum();
        assertThat(failed / (double) (failed + json().path("operations").asLong()))
                .isBetween(0.75, 0.85);
    }

    @Test
    void keysCanBeGiven(@TempDir Path folder) throws Exception {
        var file = Files.writeString(folder.resolve("keys"), "4KiB/00000003\nodd/one\n");
        assertThat(run("put", "--keys", file.toString())).as(err.toString()).isZero();
        assertThat(store.objects()).containsOnlyKeys("/bench/4KiB/00000003", "/bench/odd/one");
        assertThat(run("get", "--keys", folder.resolve("none").toString())).isEqualTo(2);
    }

    @Test
    void requestsCanBeSentAtARate() throws Exception {
        assertThat(run("get", "-c", "4", "--rate", "50")).as(err.toString()).isZero();
        assertThat(json().path("operations").asLong()).isBetween(40L, 60L);
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSE", "REFUSE_AND_CLOSE"})
    void aRefusedConnectionBacksOff(Misbehaviour refusal) {
        restart(_ -> refusal);
        assertThat(run("get", "-c", "2", "--back-off", "200")).isEqualTo(1);
        assertThat(store.count("GET")).as("in a second, on two connections").isBetween(2L, 12L);
    }

    @Test
    void anEndpointThatIsNotThereIsSaidSo() throws Exception {
        int free;
        try (var socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        assertThat(run("get", "--endpoint", "http://127.0.0.1:" + free)).isEqualTo(2);
        assertThat(err.toString()).contains("bucket could not be made", "refused");
    }

    @Test
    void nonsenseIsAUsageError() {
        assertThat(run("fetch")).isEqualTo(2);
        assertThat(run("get", "--size", "4 apples")).isEqualTo(2);
        assertThat(run("get", "-c", "0")).isEqualTo(2);
        assertThat(run("get", "--bucket", "a b")).isEqualTo(2);
        assertThat(run("get", "--endpoint", "ftp://x")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rate", "--back-off", "--connections", "--objects"})
    void numbersOutOfRangeAreRefusedBeforeAnythingIsWritten(String option) {
        assertThat(run("get", option + "=-1")).isEqualTo(2);
        assertThat(err.toString()).contains(option + " must be at least");
        assertThat(store.objects()).isEmpty();
    }

    @Test
    void peopleGetTheSameAsText() {
        var command = command();
        assertThat(command.execute(arguments("get", "--objects", "2", "-d", "1")))
                .isZero();
        assertThat(out.toString()).contains("GET 4KiB, 16 connections", "ops/s", "p99.9");
    }

    private int run(String... arguments) {
        var all = new ArrayList<>(List.of(arguments(arguments)));
        all.addAll(List.of("-d", "1", "--json"));
        return command().execute(all.toArray(String[]::new));
    }

    private String[] arguments(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--warm-up", "0", "--access-key", "a", "--secret-key", "b"));
        if (!all.contains("--endpoint")) {
            all.addAll(List.of("--endpoint", store.endpoint().toString()));
        }
        return all.toArray(String[]::new);
    }

    private CommandLine command() {
        out.getBuffer().setLength(0);
        return new CommandLine(new BenchCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    }

    private JsonNode json() throws Exception {
        return new ObjectMapper().readTree(out.toString());
    }

    private void restart(Function<Integer, Misbehaviour> misbehaviour) {
        store.close();
        store = start(misbehaviour);
    }

    private static FakeStore start(Function<Integer, Misbehaviour> misbehaviour) {
        try {
            return new FakeStore(misbehaviour);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
