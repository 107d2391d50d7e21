package dev.sluice.targetnode.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OtherTargetsTest {
    private static final NodeId SELF = new NodeId("target001");

    private final List<Node> nodes = new ArrayList<>(List.of(node("target001"), node("target002"), node("target003")));
    private final Set<String> silent = new HashSet<>();
    private long bytes = 100;
    private final OtherTargets others = new OtherTargets(SELF, () -> nodes, this::answer);

    private static Node node(String id) {
        return new Node(new NodeId(id), Role.TARGET, "http://" + id, "", 1);
    }

    private List<BucketUsage> answer(Node node, List<Long> buckets) {
        if (silent.contains(node.id().value())) {
            throw new StoreException.Unavailable(node.id() + " does not answer");
        }
        return buckets.stream().map(id -> new BucketUsage(id, 1, bytes, 10, 1)).toList();
    }

    @Test
    void theOthersCountWithAllTheySaid() {
        assertThat(others.wereAsked(1)).isFalse();
        others.ask(List.of(1L));
        assertThat(others.wereAsked(1)).isTrue();
        assertThat(others.wereAsked(2)).isFalse();
        assertThat(others.bytes(1)).isEqualTo(2 * 111);
        assertThat(others.bytes(2)).isZero();
    }

    @Test
    void whoDoesNotAnswerCountsWithWhatItSaidBefore() {
        silent.add("target003");
        others.ask(List.of(1L));
        assertThat(others.bytes(1)).as("never heard of").isEqualTo(111);
        silent.clear();
        others.ask(List.of(1L));
        silent.add("target003");
        bytes = 500;
        others.ask(List.of(1L));
        assertThat(others.bytes(1)).isEqualTo(511 + 111);
        nodes.removeLast();
        assertThat(others.bytes(1)).as("without one that is a member no more").isEqualTo(511);
    }

    @Test
    void aTargetAloneKnowsAllAtOnce() {
        nodes.subList(1, 3).clear();
        assertThat(others.wereAsked(1)).isTrue();
        assertThat(others.bytes(1)).isZero();
        long before = System.nanoTime();
        assertThat(others.heardAt()).isGreaterThanOrEqualTo(before);
    }
}
