package dev.sluice.common.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.ClusterJson;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobTableTest {
    private static final NodeId FIRST = new NodeId("target001");
    private static final NodeId SECOND = new NodeId("target002");
    private static final Set<NodeId> BOTH = Set.of(FIRST, SECOND);
    private static final JobSpec SPEC = new JobSpec(JobKind.PREFETCH, "sets", 7, "train/", Optional.empty(), false);

    private static Job job(String id) {
        return Job.started(id, SPEC, "author", 1000);
    }

    private static JobPart part(JobState state, long done) {
        return new JobPart(
                state,
                new JobCounts(done, done, 0, 0, 10 * done, done),
                List.of(),
                state == JobState.DONE ? Optional.empty() : Optional.of("why " + state.text()));
    }

    private static Job job(JobTable table) {
        return table.find("a").orElseThrow();
    }

    @Test
    void jobEndsWithTheLastPart() {
        var one = JobTable.EMPTY.starting(job("a")).partEnded("a", FIRST, part(JobState.DONE, 3), BOTH, 2000);
        assertThat(job(one).isRunning()).isTrue();
        assertThat(job(one).counts().done()).isEqualTo(3);
        var again = one.partEnded("a", FIRST, part(JobState.DONE, 3), BOTH, 2500);
        assertThat(again).isEqualTo(one);
        var both = again.partEnded("a", SECOND, part(JobState.DONE, 4), BOTH, 3000);
        assertThat(job(both).state()).isEqualTo(JobState.DONE);
        assertThat(job(both).endedMillis()).isEqualTo(3000);
        assertThat(job(both).counts()).isEqualTo(new JobCounts(7, 7, 0, 0, 70, 7));
        assertThat(job(both).parts()).isEmpty();
        assertThat(both.running()).isEmpty();
    }

    @Test
    void positionIsKeptUntilThePartEnds() {
        var position = new JobPosition("train/k", "targets", new JobCounts(5, 5, 0, 0, 50, 5), List.of());
        var table =
                JobTable.EMPTY.starting(job("a")).moved("a", FIRST, position).moved("a", SECOND, position);
        assertThat(job(table).positions()).containsOnlyKeys(FIRST, SECOND);
        var later = new JobPosition("train/m", "targets", JobCounts.NONE, List.of());
        assertThat(job(table.moved("a", FIRST, later)).positions()).containsEntry(FIRST, later);
        var one = table.partEnded("a", FIRST, part(JobState.DONE, 9), BOTH, 2000);
        assertThat(job(one).positions()).containsOnlyKeys(SECOND);
        assertThat(one.moved("a", FIRST, later)).as("it has ended").isEqualTo(one);
        assertThat(job(one.partEnded("a", SECOND, part(JobState.DONE, 9), BOTH, 2000))
                        .positions())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "ü", "\u0001", "木"})
    void positionIsSmall(String letter) {
        var key = letter.repeat(1024 / letter.getBytes(StandardCharsets.UTF_8).length);
        var position = new JobPosition(
                key,
                "0123456789abcdef",
                part(JobState.DONE, 9).counts(),
                Collections.nCopies(100, new JobFailure(key, key)));
        if (position.canBeKept()) {
            assertThat(ClusterJson.write(position).length).isLessThanOrEqualTo(4 << 10);
        } else {
            var table = JobTable.EMPTY.starting(job("a"));
            assertThat(table.moved("a", FIRST, position)).isEqualTo(table);
        }
    }

    @Test
    void jobOfABuildWithoutPositionsIsRead() throws IOException {
        var job = job("a");
        var old = new String(ClusterJson.write(job), StandardCharsets.UTF_8).replace(",\"positions\":{}", "");
        assertThat(old).doesNotContain("positions");
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), Job.class))
                .isEqualTo(job);
    }

    @Test
    void worstPartIsTheStateOfTheJob() {
        var table = JobTable.EMPTY
                .starting(job("a"))
                .partEnded("a", FIRST, part(JobState.FULL, 1), BOTH, 2000)
                .partEnded("a", SECOND, part(JobState.DONE, 1), BOTH, 2000);
        assertThat(job(table).state()).isEqualTo(JobState.FULL);
        assertThat(job(table).message()).contains("target001: why full");
    }

    @Test
    void stoppedJobKeepsWhatItsPartsHadDone() {
        var running = JobTable.EMPTY.starting(job("a")).partEnded("a", FIRST, part(JobState.DONE, 1), BOTH, 2000);
        var others = new TreeMap<>(Map.of(FIRST, part(JobState.RUNNING, 50), SECOND, part(JobState.RUNNING, 2)));
        var stopped = running.stopping("a", others, 3000);
        assertThat(job(stopped).state()).isEqualTo(JobState.STOPPED);
        assertThat(job(stopped).counts().done()).isEqualTo(3);
        assertThat(stopped.stopping("a", new TreeMap<>(), 4000)).isEqualTo(stopped);
        assertThat(stopped.partEnded("a", SECOND, part(JobState.DONE, 9), BOTH, 4000))
                .isEqualTo(stopped);
    }

    @Test
    void startThatIsRepeatedChangesNothing() {
        var table = JobTable.EMPTY.starting(job("a")).stopping("a", new TreeMap<>(), 2000);
        assertThat(table.starting(job("a"))).isEqualTo(table);
    }

    @Test
    void onlySoManyRunAtOnce() {
        var table = JobTable.EMPTY;
        for (int i = 0; i < JobTable.MOST_RUNNING; i++) {
            table = table.starting(job("job" + i));
        }
        var most = table;
        assertThatThrownBy(() -> most.starting(job("one more")))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining("sluice job ls");
    }

    @Test
    void onlySoManyListsAreInTheState() {
        var list = Optional.of(NameList.of(List.of("a")));
        var spec = new JobSpec(JobKind.PREFETCH, "sets", 7, "", Optional.empty(), list, false);
        var table = JobTable.EMPTY;
        for (int i = 0; i < JobTable.MOST_LISTS; i++) {
            table = table.starting(Job.started("job" + i, spec, "author", 1000));
        }
        var most = table.starting(job("without a list"));
        var more = Job.started("one more", spec, "author", 1000);
        assertThatThrownBy(() -> most.starting(more)).hasMessageContaining("jobs with lists");
        var ended = most.stopping("job0", new TreeMap<>(), 2000);
        assertThat(ended.find("job0").orElseThrow().spec().list()).contains(new NameList(List.of(), 1));
        assertThat(ended.starting(more).find("one more")).isPresent();
    }

    @Test
    void oldestEndedJobsAreForgotten() {
        var table = JobTable.EMPTY.starting(job("runs"));
        for (int i = 0; i < JobTable.MOST_ENDED + 2; i++) {
            table = table.starting(job("job%04d".formatted(i))).stopping("job%04d".formatted(i), new TreeMap<>(), i);
        }
        assertThat(table.jobs())
                .hasSize(JobTable.MOST_ENDED + 1)
                .containsKeys("runs", "job0002")
                .doesNotContainKeys("job0000", "job0001");
    }

    @Test
    void changesLeadFromOneTableToTheNext() {
        var before = JobTable.EMPTY.starting(job("a")).starting(job("b"));
        var ended = before.stopping("a", new TreeMap<>(), 2000);
        assertThat(before.changesTo(ended)).containsOnlyKeys("a");
        assertThat(before.changed(before.changesTo(ended))).isEqualTo(ended);
        assertThat(ended.changed(ended.changesTo(JobTable.EMPTY))).isEqualTo(JobTable.EMPTY);
        assertThat(before.changed(before.changesTo(before))).isEqualTo(before);
    }

    /// Long names in letters that take much room, as the controller keeps them.
    @ParameterizedTest
    @ValueSource(strings = {"x", "ü", "\u0001", "\"", "木", "\uD83D\uDE00"})
    void recordOfAnEndedJobIsSmall(String letter) {
        var longText = letter.repeat(1024 / letter.length());
        var failures = IntStream.range(0, 100)
                .mapToObj(i -> new JobFailure(longText, longText))
                .toList();
        var list = Optional.of(new NameList(Collections.nCopies(60, longText), 60));
        var spec =
                new JobSpec(JobKind.PREFETCH, "b".repeat(63), Long.MAX_VALUE, longText, Optional.empty(), list, false);
        var counts = new JobCounts(
                Long.MAX_VALUE / 9, Long.MAX_VALUE / 9, Long.MAX_VALUE / 9, Long.MAX_VALUE / 9, Long.MAX_VALUE / 9, 1);
        var part = new JobPart(JobState.FAILED, counts, failures, Optional.of(longText));
        var id = "prefetch-12345678";
        var table = JobTable.EMPTY
                .starting(Job.started(id, spec, longText, Long.MAX_VALUE))
                .partEnded(id, FIRST, part, BOTH, Long.MAX_VALUE);
        assertThat(ClusterJson.write(part.shortened()).length).isLessThanOrEqualTo(4 << 10);
        table = table.partEnded(id, SECOND, part, BOTH, Long.MAX_VALUE);
        assertThat(table.find(id).orElseThrow().isRunning()).isFalse();
        assertThat(ClusterJson.write(table.find(id).orElseThrow()).length).isLessThanOrEqualTo(1 << 10);
    }

    @Test
    void firstFailuresAreKeptAsLongAsThereIsRoom() {
        var failures = Collections.nCopies(100, new JobFailure("train/shard-0001.tar", "no such key"));
        var part = new JobPart(JobState.DONE, JobCounts.NONE, failures, Optional.empty());
        assertThat(part.shortened().failures()).hasSizeBetween(40, 99);
        var ended = JobTable.EMPTY.starting(job("a")).partEnded("a", FIRST, part, Set.of(FIRST), 2000);
        assertThat(job(ended).failures()).hasSizeBetween(1, 9);
    }
}
