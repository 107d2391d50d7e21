package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What the commands on drives send, and how they show drives.
final class DriveCommandsTest {
    private static final String MAP = """
            {"pmap":{},"tmap":{
              "target001":{"public_net":{"direct_url":"http://127.0.0.1:1"}},
              "target002":{"public_net":{"direct_url":"http://127.0.0.1:2"}}}}""";

    private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();
    private final AskedNode node;

    private static String drivesOf(String target) {
        return """
            {"drives":[
              {"path":"/mnt/%1$s","id":"d%1$s","weight":251,"leaving":true,"state":"online","reason":"","since":0,"errors":0},
              {"path":"","id":"dgone%1$s","weight":7,"leaving":false,"state":"offline","reason":"another","since":0,"errors":3}]}""".formatted(target);
    }

    DriveCommandsTest() throws IOException {
        node = new AskedNode(this::answer);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private String answer(AskedNode.Request request) {
        var uri = request.uri().toString();
        if (request.method().equals("GET")) {
            return uri.contains("smap") ? MAP : drivesOf(request.target());
        }
        changes.add("%s %s %s %s".formatted(request.target(), request.method(), uri, request.body()));
        return "{\"done\":\"it is done\"}";
    }

    private AskedNode.Result sluice(String... arguments) {
        return node.sluice(
                Stream.concat(Stream.of("drive"), Stream.of(arguments)).toArray(String[]::new));
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
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("no target has a drive at /mnt/nowhere"));
    }

    @Test
    void aNewDriveNeedsATarget() {
        assertThat(sluice("attach", "/mnt/new"))
                .returns(2, AskedNode.Result::exitCode)
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
                        "target001 /mnt/target001 dtarget001 251 online, leaving 1970-01-01T00:00:00Z 0 -",
                        "target002 - dgonetarget002 7 offline 1970-01-01T00:00:00Z 3 another");
    }

    @Test
    void theNameOfOlderVersionsStillWorks() {
        assertThat(node.sluice("mountpath", "disable", "/mnt/target001").exitCode())
                .isZero();
        assertThat(changes).containsExactly(change("target001", "POST", "", "disable-mp", "/mnt/target001"));
    }
}
