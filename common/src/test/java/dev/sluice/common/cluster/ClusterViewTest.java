package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.s3.BucketDocument;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
    private static final NodeId TARGET = new NodeId("target001");

    private ClusterState state = Planner.next(
            ClusterState.create("c", new TreeSet<>(List.of(TARGET)), new TreeMap<>()),
            new Command.Join(new Node(TARGET, Role.TARGET, "http://127.0.0.1:1", "", 1)));

    @Test
    void unreadablePolicyClosesItsOwnBucketOnly() {
        create("damaged", "{\"Statement\":");
        create("newer", allowing("newer").replace("\"Effect\"", "\"Unheard\":1,\"Effect\""));
        create("open", allowing("open"));
        var view = ClusterView.of(state);
        for (var closed : List.of("damaged", "newer")) {
            assertThat(policy(view, closed).denies("s3:GetObject", closed, "k")).isTrue();
            assertThat(policy(view, closed).denies("s3:ListBucket", closed, "")).isTrue();
            assertThat(policy(view, closed).allowsAnonymous("s3:GetObject", closed, "k"))
                    .isFalse();
        }
        assertThat(policy(view, "open").allowsAnonymous("s3:GetObject", "open", "k"))
                .isTrue();
        assertThat(policy(view, "open").denies("s3:PutObject", "open", "k")).isFalse();
    }

    @Test
    void policyIsCompiledOnceUntilItChanges() {
        create("a", allowing("a"));
        create("b", allowing("b"));
        var published = new StateWatch();
        published.publish(state);
        var before = published.current();
        set("b", allowing("b").replace("Allow", "Deny"));
        published.publish(state);
        var after = published.current();
        assertThat(policy(after, "a")).isSameAs(policy(before, "a"));
        assertThat(policy(after, "b").denies("s3:GetObject", "b", "k")).isTrue();
        assertThat(published.current()).isSameAs(after);
    }

    @Test
    void newBucketOfTheSameNameHasItsOwnPolicy() {
        create("a", allowing("a"));
        var before = ClusterView.of(state);
        var old = state.buckets().find("a").orElseThrow();
        state = Planner.next(state, new Command.MarkDeleting("a"));
        long deletion = state.buckets().find("a").orElseThrow().deletion();
        state = Planner.next(state, new Command.RemoveBucket("a", old.id(), deletion));
        create("a", allowing("a"));
        assertThat(policy(before.next(state), "a").allowsAnonymous("s3:GetObject", "a", "k"))
                .isTrue();
    }

    private static BucketPolicy policy(ClusterView view, String bucket) {
        return view.policy(view.bucket(bucket).orElseThrow());
    }

    private void create(String bucket, String policy) {
        state = Planner.next(state, new Command.CreateBucket(bucket, 1, BucketProperties.defaults(Optional.empty())));
        set(bucket, policy);
    }

    private void set(String bucket, String policy) {
        var known = state.buckets().find(bucket).orElseThrow();
        state = Planner.next(
                state,
                new Command.SetBucketProperties(
                        bucket,
                        known.id(),
                        known.properties(),
                        known.properties().with(BucketDocument.POLICY, Optional.of(policy))));
    }

    private static String allowing(String bucket) {
        return """
                {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject",
                "Resource":"arn:aws:s3:::%s/*"}]}""".formatted(bucket);
    }
}
