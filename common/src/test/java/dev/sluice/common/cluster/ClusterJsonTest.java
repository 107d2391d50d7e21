package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.jobs.JobCounts;
import dev.sluice.common.jobs.JobFailure;
import dev.sluice.common.jobs.JobKind;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.JobState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
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
            new TreeMap<>(Map.of("policy", "{}", "of-a-newer-build", "<xml/>")),
            Optional.of(RoutePreference.REDIRECT),
            2,
            1,
            1,
            Optional.of(1L << 40),
            new CacheRules(Revalidate.of("30s"), CacheRules.Evict.NEVER, CacheRules.ColdRange.PASS));

    private static final JobSpec PREFETCH =
            new JobSpec(JobKind.PREFETCH, "shards", 1, "train/", Optional.empty(), false);
    private static final JobPart PART = new JobPart(
            JobState.FULL,
            new JobCounts(9, 1, 2, 3, 4, 5),
            List.of(new JobFailure("train/a", "no such key")),
            Optional.of("no room"));

    static List<Command> commands() {
        return List.of(
                new Command.Join(NODE),
                new Command.CreateBucket("shards", 42, PROPERTIES),
                new Command.SetBucketProperties("shards", 7, PROPERTIES, BucketProperties.defaults(Optional.empty())),
                new Command.SetReplication("shards", 7, 12, PROPERTIES, BucketProperties.defaults(Optional.empty())),
                new Command.MarkDeleting("shards"),
                new Command.KeepBucket("shards", 7),
                new Command.RemoveBucket("shards", 7, 12),
                new Command.DroppedBuckets(new TreeSet<>(List.of("d1", "d2")), 9),
                new Command.StartJob("prefetch-1", PREFETCH, "author", 42),
                new Command.EndJobPart("prefetch-1", NODE.id(), PART, 43),
                new Command.MoveJob(
                        "prefetch-1", NODE.id(), new JobPosition("train/k", "targets", PART.counts(), PART.failures())),
                new Command.StopJob("prefetch-1", new TreeMap<>(Map.of(NODE.id(), PART)), 44));
    }

    static Stream<Command> allCommands() {
        var drive = new Command.SlotDrive(1, 65_535, 1L << 40, "drive", 7);
        var target = NODE.id();
        return Stream.concat(
                commands().stream(),
                Stream.of(
                        new Command.Register(
                                target,
                                "nonce",
                                3,
                                "boot",
                                List.of(new Command.RegisteredDrive("drive", 1.5, false, true, 12))),
                        new Command.Up(target, 3),
                        new Command.Down(target, 9, new TreeMap<>(Map.of(target, 2))),
                        new Command.Trust(target, 9),
                        new Command.ControllerBoot(target, 2),
                        new Command.DriveOut(target, new TreeMap<>(Map.of("drive", 3))),
                        new Command.DriveIn(target, 3, new Command.RegisteredDrive("drive", 1.5, true), 2, "nonce"),
                        new Command.Opened(List.of(new Command.SlotEpoch(1, 2, 3))),
                        new Command.Promote(List.of(drive)),
                        new Command.Expel(List.of(drive, drive)),
                        new Command.Expel(List.of(drive), Optional.of(answers(target))),
                        new Command.CutOff(answers(target), new NodeId("target002"), List.of(drive)),
                        new Command.CutOff(target, 3, 7, target, new NodeId("target002"), List.of(drive)),
                        new Command.TakeOff(List.of(drive)),
                        new Command.Fill()));
    }

    private static Command.Answers answers(NodeId target) {
        return new Command.Answers(target, 3, 7, target, new TreeMap<>(Map.of("drive", 3)));
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void everyCommandReachesTheOtherNodeAsItWas(Command command) throws IOException {
        assertThat(ClusterJson.read(ClusterJson.write(command), Command.class)).isEqualTo(command);
    }

    @Test
    void aBackendFromBeforeThereWereNamesIsReachedByItsOwnEndpoint() throws IOException {
        var old = "{\"url\":\"s3://b\",\"endpoint\":\"http://h:1\",\"region\":null,\"profile\":\"lab\"}";
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), BackendSpec.class))
                .isEqualTo(new BackendSpec(
                        "s3://b", Optional.empty(), Optional.of("http://h:1"), Optional.empty(), Optional.of("lab")));
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

    @Test
    void stateOfABuildWithoutJobsIsRead() throws IOException {
        var state = ClusterState.create("cluster", new TreeSet<>(List.of(NODE.id())), new TreeMap<>());
        var old = new String(ClusterJson.write(state), StandardCharsets.UTF_8).replace(",\"jobs\":{\"jobs\":{}}", "");
        assertThat(old).doesNotContain("jobs");
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), ClusterState.class))
                .isEqualTo(state);
    }

    @Test
    void jobsReachOtherNodesAsChanges() throws IOException {
        var state = Planner.next(
                ClusterState.create("cluster", new TreeSet<>(List.of(NODE.id())), new TreeMap<>()),
                new Command.Join(NODE),
                new Command.CreateBucket("shards", 42, PROPERTIES));
        for (var command : List.of(
                new Command.StartJob("prefetch-1", PREFETCH, "author", 42),
                new Command.EndJobPart("prefetch-1", NODE.id(), PART, 43))) {
            var change =
                    Planner.plan(state, command, PlanningFacts.KNOWS_NOTHING).orElseThrow();
            var sent = StateCodec.decodeChange(StateCodec.encode(change));
            assertThat(sent).isEqualTo(change);
            assertThat(sent.jobs()).containsOnlyKeys("prefetch-1");
            assertThat(Planner.plan(state, command, PlanningFacts.KNOWS_NOTHING))
                    .isPresent();
            state = state.apply(sent).orElseThrow();
            assertThat(Planner.plan(state, command, PlanningFacts.KNOWS_NOTHING))
                    .as("a repetition")
                    .isEmpty();
        }
        assertThat(state.jobs().find("prefetch-1").orElseThrow().state()).isEqualTo(JobState.FULL);
        assertThat(StateCodec.decodeState(StateCodec.encode(state))).isEqualTo(state);
    }

    @Test
    void jobOfANewerBuildGoesThroughAnOlderOneUnchanged() throws IOException {
        var state = Planner.next(
                ClusterState.create("cluster", new TreeSet<>(List.of(NODE.id())), new TreeMap<>()),
                new Command.CreateBucket("shards", 42, PROPERTIES),
                new Command.StartJob("prefetch-1", PREFETCH, "author", 42));
        var newer = new String(ClusterJson.write(state), StandardCharsets.UTF_8).replace("PREFETCH", "POLISH");
        var read = ClusterJson.read(newer.getBytes(StandardCharsets.UTF_8), ClusterState.class);
        assertThat(read.jobs().find("prefetch-1").orElseThrow().spec().kind()).isEqualTo(new JobKind("polish"));
        assertThat(new String(ClusterJson.write(read), StandardCharsets.UTF_8)).isEqualTo(newer);
    }

    @Test
    void changeOfABuildWithoutJobsIsRead() throws IOException {
        var change = Planner.plan(
                        ClusterState.create("cluster", new TreeSet<>(List.of(NODE.id())), new TreeMap<>()),
                        new Command.Join(NODE),
                        PlanningFacts.KNOWS_NOTHING)
                .orElseThrow();
        var old = new String(StateCodec.encode(change), StandardCharsets.ISO_8859_1).replace(",\"jobs\":null", "");
        assertThat(old).doesNotContain("jobs");
        assertThat(StateCodec.decodeChange(old.getBytes(StandardCharsets.ISO_8859_1)))
                .isEqualTo(change);
    }

    @Test
    void jobOnAnotherBucketOfTheNameIsRefused() {
        var state = Planner.next(
                ClusterState.create("cluster", new TreeSet<>(List.of(NODE.id())), new TreeMap<>()),
                new Command.CreateBucket("shards", 42, PROPERTIES));
        var other = new JobSpec(JobKind.PREFETCH, "shards", 2, "", Optional.empty(), false);
        assertThatThrownBy(() -> Planner.next(state, new Command.StartJob("prefetch-1", other, "author", 42)))
                .isInstanceOf(StoreException.NoSuchBucket.class);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theStateAfterEachCommandIsTheSameOnTheOtherSide(Command command) throws IOException {
        var members = new TreeSet<>(List.of(NODE.id()));
        var state = Planner.next(
                ClusterState.create("cluster", members, new TreeMap<>(Map.of("key", "secret"))),
                new Command.CreateBucket("shards", 42, PROPERTIES));
        if (!(command instanceof Command.CreateBucket)) {
            state = Planner.next(state, command);
        }
        assertThat(ClusterJson.read(ClusterJson.write(state), ClusterState.class))
                .isEqualTo(state);
    }
}
