package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the commands on drives send, and how they show drives.
final class MountpathCommandsTest {
    private static final String MAP = """
            {"pmap":{},"tmap":{
              "target001":{"public_net":{"direct_url":"http://127.0.0.1:1"}},
              "target002":{"public_net":{"direct_url":"http://127.0.0.1:2"}}}}""";

    private record Result(int exitCode, String out, String err) {}

    private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();
    private final HttpServer server = make();

    private static String drivesOf(String target) {
        return """
            {"drives":[
              {"path":"/mnt/%1$s","id":"d%1$s","weight":251,"leaving":true,"state":"serving","reason":"","since":0,"errors":0},
              {"path":"","id":"dgone%1$s","weight":7,"leaving":false,"state":"out","reason":"another","since":0,"errors":3}]}""".formatted(target);
    }

    private static HttpServer make() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        } catch (IOException unusable) {
            throw new IllegalStateException(unusable);
        }
    }

    @BeforeEach
    void listen() {
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        var target = String.valueOf(exchange.getRequestHeaders().getFirst("Ais-Node-Id"));
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var uri = exchange.getRequestURI().toString();
        String answer;
        if (exchange.getRequestMethod().equals("GET")) {
            answer = uri.contains("smap") ? MAP : drivesOf(target);
        } else {
            changes.add("%s %s %s %s".formatted(target, exchange.getRequestMethod(), uri, body));
            answer = "{\"done\":\"it is done\"}";
        }
        var bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Result sluice(String... arguments) {
        var all = new ArrayList<>(List.of("mountpath"));
        all.addAll(List.of(arguments));
        all.addAll(
                List.of("--cluster", "http://127.0.0.1:" + server.getAddress().getPort()));
        var out = new StringWriter();
        var err = new StringWriter();
        var exitCode = Sluice.commandLine(TrialSluice.installation(Map.of()))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all.toArray(String[]::new));
        return new Result(exitCode, out.toString(), err.toString());
    }

    private static String change(String target, String method, String query, String action, String drive) {
        return "%s %s /v1/reverse/daemon/mountpaths%s {\"action\":\"%s\",\"value\":\"%s\"}"
                .formatted(target, method, query, action, drive);
    }

    @Test
    void aDriveIsFoundByItsPathOrId() {
        assertThat(sluice("disable", "/mnt/target001").exitCode()).isZero();
        assertThat(sluice("enable", "dtarget002").out()).contains("target002 it is done");
        assertThat(sluice("detach", "/mnt/target002").exitCode()).isZero();
        assertThat(sluice("detach", "--lost", "dgonetarget001").exitCode()).isZero();
        assertThat(changes)
                .containsExactly(
                        change("target001", "POST", "", "disable-mp", "/mnt/target001"),
                        change("target002", "POST", "", "enable-mp", "dtarget002"),
                        change("target002", "DELETE", "", "detach-mp", "/mnt/target002"),
                        change("target001", "DELETE", "?lost=true", "detach-mp", "dgonetarget001"));
        assertThat(sluice("detach", "/mnt/nowhere"))
                .returns(2, Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("no target has a drive at /mnt/nowhere"));
    }

    @Test
    void aNewDriveNeedsATarget() {
        assertThat(sluice("attach", "/mnt/new"))
                .returns(2, Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--target"));
        assertThat(sluice("attach", "/mnt/new", "--target", "target002").exitCode())
                .isZero();
        assertThat(changes).containsExactly(change("target002", "PUT", "", "attach-mp", "/mnt/new"));
    }

    @Test
    void theListShowsDrivesThatAreNotThereToo() {
        assertThat(sluice("list")
                        .out()
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").strip()))
                .contains(
                        "TARGET PATH ID WEIGHT STATE SINCE ERRORS REASON",
                        "target001 /mnt/target001 dtarget001 251 serving, leaving 1970-01-01T00:00:00Z 0 -",
                        "target002 - dgonetarget002 7 out 1970-01-01T00:00:00Z 3 another");
    }
}
