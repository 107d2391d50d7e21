package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What `sluice cluster forget` says before it asks, and what it sends.
final class ForgetCommandTest {
    private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();
    private final AskedNode node;
    private volatile int lost;
    private volatile int unreadable;
    private volatile int left;

    ForgetCommandTest() throws IOException {
        node = new AskedNode(this::answer);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private String answer(AskedNode.Request request) {
        sent.add(request.method() + " " + request.uri() + " " + request.body());
        return """
                {"target":"target002","drives":["d1","d2"],"slots":40,"lost":%d,"unreadable":%d,"lost_with_learner":3,"waiting":2,
                 "buckets":["one","two"],"left":%d}""".formatted(lost, unreadable, left);
    }

    private static String message(boolean accepted, boolean dry) {
        return "POST /v1/cluster {\"action\":\"forget\",\"value\":{\"id\":\"target002\",\"accept_data_loss\":%s,\"dry_run\":%s}}"
                .formatted(accepted, dry);
    }

    @Test
    void dryRunOnlySays() {
        lost = 5;
        var result = node.sluice("cluster", "forget", "target002", "--dry-run");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains(
                        "40 slots lose a replica",
                        "5 of them (3 with a learner)",
                        "older versions and deleted objects of these slots may reappear, in one, two",
                        "2 wait for another replica");
        assertThat(sent).containsExactly(message(false, true));
    }

    @Test
    void nothingIsForgottenWithoutConsent() {
        assertThat(node.sluice("cluster", "forget", "target002"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--yes"));
        lost = 1;
        assertThat(node.sluice("cluster", "forget", "target002", "--yes"))
                .returns(2, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("--accept-data-loss"));
        assertThat(sent).containsExactly(message(false, true), message(false, true));
    }

    @Test
    void slotsWithTooFewSlicesAreNamedAndNeedConsent() {
        unreadable = 7;
        var refused = node.sluice("cluster", "forget", "target002", "--yes");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("7 of them keep too few slices: their objects cannot be read any more, in one, two");
        assertThat(sent).containsExactly(message(false, true));
    }

    @Test
    void whatIsLeftIsSaid() {
        lost = 1;
        assertThat(node.sluice("cluster", "forget", "target002", "--yes", "--accept-data-loss")
                        .out())
                .contains("target002 is forgotten; 40 slots went to other drives");
        assertThat(sent).containsExactly(message(true, true), message(true, false));
        left = 4;
        assertThat(node.sluice("cluster", "forget", "target002", "--yes", "--accept-data-loss"))
                .returns(1, AskedNode.Result::exitCode)
                .satisfies(result -> assertThat(result.err()).contains("4 slots still name it"));
    }
}
