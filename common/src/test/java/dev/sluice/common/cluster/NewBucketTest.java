package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NewBucketTest {
    private static ClusterState cluster(int targets) {
        var members = IntStream.rangeClosed(1, targets)
                .mapToObj(number -> new NodeId("target%03d".formatted(number)))
                .collect(Collectors.toCollection(TreeSet::new));
        return ClusterState.create("c", members, new TreeMap<>());
    }

    @Test
    void ownObjectsHaveTwoReplicasWhereThereAreTwoTargets() {
        assertThat(cluster(1).newBucket(Optional.empty()).replicas()).isEqualTo(1);
        assertThat(cluster(2).newBucket(Optional.empty()).replicas()).isEqualTo(2);
        assertThat(cluster(16).newBucket(Optional.empty()).replicas()).isEqualTo(2);
    }

    @Test
    void objectsOfACloudHaveOne() {
        assertThat(cluster(3)
                        .newBucket(Optional.of(BackendSpec.of("s3://cloud")))
                        .replicas())
                .isEqualTo(1);
    }
}
