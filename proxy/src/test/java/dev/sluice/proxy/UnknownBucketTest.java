package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Requests for objects of buckets that this node does not know: only the controller can say that there is none.
class UnknownBucketTest {
    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private String anonymous(String line) {
        return outcome(cluster.response(SignedRequest.anonymous(line)));
    }

    @Test
    void theControllerIsNotAskedForEachRequestOfSomebodyWhoDoesNotSign() {
        for (int i = 0; i < 200; i++) {
            assertThat(anonymous("GET /none" + i + "/a")).isEqualTo("404 NoSuchBucket");
        }
        assertThat(cluster.control.asked()).as("once a second").isLessThan(20);
    }

    @Test
    void itIsAskedForEachRequestThatIsSigned() {
        int before = cluster.control.asked();
        for (int i = 0; i < 5; i++) {
            assertThat(outcome(cluster.send("GET /none/a", ""))).isEqualTo("404 NoSuchBucket");
        }
        assertThat(cluster.control.asked()).isEqualTo(before + 5);
    }

    @Test
    void aNewerStateCountsAtOnce() {
        assertThat(anonymous("GET /new/a")).isEqualTo("404 NoSuchBucket");
        cluster.control.applyElsewhere(
                new Command.CreateBucket("new", 42, BucketProperties.defaults(Optional.empty())));
        assertThat(anonymous("GET /new/a")).isEqualTo("403 AccessDenied");
    }

    @Test
    void aNodeThatDoesNotReachTheControllerDoesNotSayThatThereIsNone() {
        cluster.control.silence(true);
        assertThat(anonymous("GET /none/a")).isEqualTo("503 ServiceUnavailable");
        assertThat(outcome(cluster.send("GET /none/a", ""))).isEqualTo("503 ServiceUnavailable");
        cluster.control.silence(false);
        assertThat(anonymous("GET /none/a")).isEqualTo("404 NoSuchBucket");
    }
}
