package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChangesTest {
    private static final NodeId TARGET = new NodeId("target001");

    private static final NodeId OTHER = new NodeId("target002");

    private final ClusterState first = ClusterState.create("c", new TreeSet<>(List.of(TARGET, OTHER)), new TreeMap<>());
    private final List<Change> changes = new ArrayList<>();
    private ClusterState last = first;

    private void plan(Command command) {
        var change = Planner.plan(last, command, PlanningFacts.KNOWS_NOTHING).orElseThrow();
        changes.add(change);
        last = last.apply(change).orElseThrow();
    }

    private void planAll() {
        for (var target : List.of(TARGET, OTHER)) {
            plan(new Command.Join(new Node(target, Role.TARGET, "http://h:1", "", 1)));
            plan(new Command.Register(
                    target, "nonce", 0, "boot", List.of(new Command.RegisteredDrive(target + "-d", 1, true))));
        }
        for (int bucket = 0; bucket < 5; bucket++) {
            plan(new Command.CreateBucket(
                    "b" + bucket, 1, BucketProperties.defaults(Optional.empty()).withReplicas(1 + bucket % 2)));
        }
        plan(new Command.ControllerBoot(TARGET, 3));
        plan(new Command.MarkDeleting("b3"));
        var marked = last.buckets().find("b3").orElseThrow();
        plan(new Command.RemoveBucket("b3", marked.id(), marked.deletion()));
        plan(new Command.CreateBucket("b9", 1, BucketProperties.defaults(Optional.empty())));
    }

    @Test
    void severalChangesInOneEntryMakeTheSameState() throws IOException {
        planAll();
        var entry = StateCodec.decodeEntry(StateCodec.encode(Changes.of(changes)));
        assertThat(entry.changes()).hasSize(changes.size());
        assertThat(entry.appliedTo(Optional.of(first))).contains(last);
        assertThat(entry.changes().stream()
                        .flatMap(change -> change.buckets().stream())
                        .mapToInt(buckets -> buckets.buckets().size())
                        .max())
                .as("a change names the buckets that it changes")
                .hasValue(1);
    }

    @Test
    void entryForAnotherStateHasNoEffectAtAll() {
        planAll();
        assertThat(Changes.of(changes).appliedTo(Optional.of(last))).isEmpty();
        assertThat(Changes.of(changes).appliedTo(Optional.empty())).isEmpty();
    }

    @Test
    void entryThatBrokeOffIsRefused() {
        planAll();
        var whole = StateCodec.encode(Changes.of(changes));
        assertThatThrownBy(() -> StateCodec.decodeEntry(Arrays.copyOf(whole, whole.length - 1)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> StateCodec.decodeEntry(Arrays.copyOf(whole, 3)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void stateOfALoneControllerBeginsALogOnce() throws IOException {
        planAll();
        var entry = StateCodec.decodeEntry(StateCodec.encode(new AdoptState(last)));
        assertThat(entry.appliedTo(Optional.empty())).contains(last);
        assertThat(entry.appliedTo(Optional.of(first))).isEmpty();
    }
}
