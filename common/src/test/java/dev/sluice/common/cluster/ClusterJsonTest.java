package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ClusterJsonTest {
    private static final Node NODE =
            new Node(new NodeId("target001"), Role.TARGET, "http://127.0.0.1:8180", "rack1", 12.5);
    private static final BucketProperties PROPERTIES = new BucketProperties(
            Optional.of(new BackendSpec(
                    "s3://cloud/prefix",
                    Optional.of("lab"),
                    Optional.of("http://127.0.0.1:9000"),
                    Optional.empty(),
                    Optional.of("lab"))),
            Durability.OS,
            Optional.of("{}"),
            Optional.of(RoutePreference.REDIRECT),
            2,
            1,
            Optional.of(1L << 40));

    static List<Command> commands() {
        return List.of(
                new Command.Join(NODE),
                new Command.CreateBucket("shards", 42, PROPERTIES),
                new Command.SetBucketProperties("shards", 7, PROPERTIES, BucketProperties.defaults(Optional.empty())),
                new Command.SetReplication("shards", 7, 12, PROPERTIES, BucketProperties.defaults(Optional.empty())),
                new Command.MarkDeleting("shards"),
                new Command.KeepBucket("shards", 7),
                new Command.RemoveBucket("shards", 7, 12),
                new Command.ForgetBucket("shards", 7));
    }

    static Stream<Command> allCommands() {
        var drive = new Command.SlotDrive(1, 65_535, 1L << 40, "drive", 7);
        var target = NODE.id();
        return Stream.concat(
                commands().stream(),
                Stream.of(
                        new Command.Register(
                                target, "nonce", 3, "boot", List.of(new Command.RegisteredDrive("drive", 1.5, false))),
                        new Command.Up(target, 3),
                        new Command.Down(target, 9, new TreeMap<>(Map.of(target, 2))),
                        new Command.Trust(target, 9),
                        new Command.ControllerBoot(target, 2),
                        new Command.DriveOut(target, new TreeMap<>(Map.of("drive", 3))),
                        new Command.DriveIn(target, 3, new Command.RegisteredDrive("drive", 1.5, true), 2, "nonce"),
                        new Command.Opened(List.of(new Command.SlotEpoch(1, 2, 3))),
                        new Command.Promote(List.of(drive)),
                        new Command.Expel(List.of(drive, drive)),
                        new Command.TakeOff(List.of(drive)),
                        new Command.Fill()));
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void everyCommandReachesTheOtherNodeAsItWas(Command command) throws IOException {
        assertThat(ClusterJson.read(ClusterJson.write(command), Command.class)).isEqualTo(command);
    }

    @Test
    void aTableFromBeforeRemovedBucketsWereKeptIsRead() throws IOException {
        var old = "{\"nextId\":3,\"buckets\":{}}".getBytes(StandardCharsets.UTF_8);
        assertThat(ClusterJson.read(old, BucketTable.class))
                .isEqualTo(new BucketTable(3, new TreeMap<>(), new TreeMap<>()));
    }

    @Test
    void aBackendFromBeforeThereWereNamesIsReachedByItsOwnEndpoint() throws IOException {
        var old = "{\"url\":\"s3://b\",\"endpoint\":\"http://h:1\",\"region\":null,\"profile\":\"lab\"}";
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), BackendSpec.class))
                .isEqualTo(new BackendSpec(
                        "s3://b", Optional.empty(), Optional.of("http://h:1"), Optional.empty(), Optional.of("lab")));
    }

    @Test
    void propertiesFromBeforeThereWereLocalCopiesAndQuotasHaveOneCopyAndNoQuota() throws IOException {
        var old = "{\"backend\":null,\"durability\":\"fsync\",\"policy\":null,\"route\":null}";
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), BucketProperties.class))
                .isEqualTo(new BucketProperties(
                        Optional.empty(),
                        Durability.FSYNC,
                        Optional.empty(),
                        Optional.empty(),
                        1,
                        1,
                        Optional.empty()));
    }

    @Test
    void aDeletionOfABuildThatDidNotSayWhenItBeganGoesOn() throws IOException {
        var old = "{\"id\":7,\"name\":\"shards\",\"createdMillis\":42,\"deleting\":true,\"properties\":%s}"
                .formatted(new String(ClusterJson.write(PROPERTIES), StandardCharsets.UTF_8));
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), Bucket.class))
                .isEqualTo(new Bucket(7, "shards", 42, 1, PROPERTIES));
    }

    @Test
    void aBuildThatKnowsOnlyThatABucketIsBeingDeletedIsToldSo() throws IOException {
        var bucket = new Bucket(7, "shards", 42, 12, PROPERTIES);
        assertThat(new String(ClusterJson.write(bucket), StandardCharsets.UTF_8))
                .contains("\"deleting\":true");
        assertThat(ClusterJson.read(ClusterJson.write(bucket), Bucket.class)).isEqualTo(bucket);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theStateAfterEachCommandIsTheSameOnTheOtherSide(Command command) throws IOException {
        var members = new TreeSet<>(List.of(NODE.id()));
        var state = ClusterState.create("cluster", members, new TreeMap<>(Map.of("key", "secret")))
                .apply(new Command.CreateBucket("shards", 42, PROPERTIES));
        if (!(command instanceof Command.CreateBucket)) {
            state = state.apply(command);
        }
        assertThat(ClusterJson.read(ClusterJson.write(state), ClusterState.class))
                .isEqualTo(state);
    }
}
