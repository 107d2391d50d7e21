package dev.sluice.common.cluster.planning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.StateCodec;
import dev.sluice.common.cluster.slots.Durability;
import dev.sluice.common.cluster.slots.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Every number that the log gives is raised, and nothing else is changed.
class RecoveredStateTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
    private static final long SECONDS =
            Duration.between(Instant.parse("2020-01-01T00:00:00Z"), NOW).toSeconds();
    private static final long RAISE = (1 + SECONDS) << 20;

    private static final long HOUR = 3000L << 20;

    private final SlotTrial trial = new SlotTrial(3, 2, 2, Durability.FSYNC, 16);
    private ClusterState before;
    private ClusterState after;
    private int intRaise;

    @BeforeEach
    void recover() {
        create("kept");
        create("gone");
        trial.state = Planner.next(trial.state, new Command.MarkDeleting("gone"));
        var marked = trial.state.buckets().find("gone").orElseThrow();
        trial.state = Planner.next(trial.state, new Command.RemoveBucket("gone", marked.id(), marked.deletion()));
        trial.state = Planner.next(trial.state, new Command.MarkDeleting("kept"));
        trial.state = Planner.next(trial.state, new Command.ControllerBoot(trial.targets.get(0), 7));
        trial.state = Planner.next(trial.state, new Command.ControllerBoot(trial.targets.get(1), 3));
        trial.apply(trial.out(trial.drives(trial.targets.get(2)).getFirst()));
        trial.apply(trial.down(trial.targets.get(1)));
        before = trial.state;
        after = RecoveredState.of(before, NOW);
        intRaise = Math.toIntExact((1 << 20) + SECONDS - before.replication().lastIncarnation());
    }

    private void create(String name) {
        trial.state = Planner.next(
                trial.state, new Command.CreateBucket(name, 0, BucketProperties.defaults(Optional.empty())));
    }

    @Test
    void versionsBucketIdsAndBootNumbersAreRaised() {
        assertThat(after.version()).isEqualTo(before.version() + RAISE);
        assertThat(after.map().version()).isEqualTo(before.map().version() + RAISE);
        assertThat(after.map().nodes()).isEqualTo(before.map().nodes());
        assertThat(after.buckets().nextId()).isEqualTo(before.buckets().nextId() + RAISE);
        assertThat(after.replication().controllers())
                .hasSize(2)
                .allSatisfy((controller, boot) -> assertThat(boot)
                        .isEqualTo(before.replication().controllers().getOrDefault(controller, 0) + intRaise));
    }

    /// From whichever copy of the same log.
    @Test
    void anotherRecoveryGivesNumbersThatThisOneDidNotGive() {
        var later = RecoveredState.of(before, NOW.plusSeconds(3600));
        assertThat(later.version()).isGreaterThan(after.version() + HOUR);
        assertThat(later.map().version()).isGreaterThan(after.map().version() + HOUR);
        assertThat(later.buckets().nextId()).isGreaterThan(after.buckets().nextId() + HOUR);
        assertThat(later.replication().lastIncarnation())
                .isGreaterThan(after.replication().lastIncarnation() + 3000);
        assertThat(later.replication()
                        .table(SlotTrial.GROUP)
                        .orElseThrow()
                        .row(0)
                        .epoch())
                .isGreaterThan(after.replication()
                                .table(SlotTrial.GROUP)
                                .orElseThrow()
                                .row(0)
                                .epoch()
                        + HOUR);
        for (int i = 0; i < 1000; i++) { // numbers do not run out, and the last recovery has the largest ones
            later = RecoveredState.of(later, NOW.plusSeconds(i * 86_400L));
        }
        assertThat(later.version())
                .isLessThan(RecoveredState.of(before, NOW.plusSeconds(2000 * 86_400L))
                        .version());
        assertThat(later.replication().lastIncarnation()).isPositive();
    }

    /// The lost log may have made one, with epochs of its own.
    @Test
    void newGroupHasLargerEpochsThanTheLostOneMayHaveHad() {
        var made = NewGroup.in(after, 3, 1, Durability.FSYNC, 16);
        var table = made.table(made.groups().lastKey()).orElseThrow();
        assertThat(made.groups()).hasSize(before.replication().groups().size() + 1);
        for (int slot = 0; slot < table.size(); slot++) {
            assertThat(table.row(slot).epoch()).isEqualTo(after.version());
            assertThat(table.row(slot).primarySince()).isEqualTo(after.version());
            assertThat(table.row(slot).opened())
                    .as("its primary fences it first")
                    .isFalse();
        }
    }

    @Test
    void incarnationsAndVersionsOfTargetsAndDrivesAreRaised() {
        var now = after.replication();
        assertThat(now.lastIncarnation()).isEqualTo(before.replication().lastIncarnation() + intRaise);
        assertThat(now.targets()).hasSize(3).allSatisfy((id, entry) -> {
            var was = before.replication().target(id).orElseThrow();
            assertThat(entry.incarnation()).isEqualTo(was.incarnation() + intRaise);
            assertThat(entry.version()).isEqualTo(was.version() + RAISE);
            assertThat(entry.up()).isEqualTo(was.up());
        });
        assertThat(now.drives().entries()).hasSize(6).allSatisfy((id, entry) -> {
            var was = before.replication().drives().find(id).orElseThrow();
            assertThat(entry.incarnation()).isEqualTo(was.incarnation() + intRaise);
            assertThat(entry.out()).isEqualTo(was.out());
        });
    }

    @Test
    void epochsOfRowsAndMembersAreRaised() {
        var was = before.replication().table(SlotTrial.GROUP).orElseThrow();
        var now = after.replication().table(SlotTrial.GROUP).orElseThrow();
        assertThat(now.size()).isEqualTo(was.size());
        for (int slot = 0; slot < was.size(); slot++) {
            var row = now.row(slot);
            var old = was.row(slot);
            assertThat(row.epoch()).isEqualTo(old.epoch() + RAISE);
            assertThat(row.primarySince()).isEqualTo(old.primarySince() + RAISE);
            assertThat(row.driveSince()).isEqualTo(old.driveSince() + RAISE);
            assertThat(row.fence()).isEqualTo(old.fence());
            assertThat(row.opened()).isEqualTo(old.opened());
            assertThat(row.members())
                    .isEqualTo(old.members().stream()
                            .map(member -> new Member(
                                    member.drive(),
                                    member.inSync(),
                                    member.incarnation() + intRaise,
                                    member.since() + RAISE))
                            .toList());
        }
    }

    /// As text, with each raised number as it was.
    @Test
    void nothingElseIsChanged() {
        assertThat(lowered(after)).isEqualTo(lines(before));
        assertThat(after.buckets().buckets()).isEqualTo(before.buckets().buckets());
        assertThat(after.buckets().removed())
                .isEqualTo(before.buckets().removed())
                .isNotEmpty();
        assertThat(after.buckets().behind())
                .isEqualTo(before.buckets().behind())
                .isNotEmpty();
        assertThat(after.jobs()).isEqualTo(before.jobs());
    }

    private static String lines(ClusterState state) {
        var text = new String(StateCodec.encode(state), StandardCharsets.ISO_8859_1);
        return text.substring(0, text.indexOf('\n'));
    }

    private String lowered(ClusterState state) {
        return Pattern.compile("(?<=:)\\d{7,}(?=[,}])")
                .matcher(lines(state))
                .replaceAll(number -> Long.toString(lowered(Long.parseLong(number.group()))));
    }

    private long lowered(long number) {
        return number - (number < RAISE ? intRaise : RAISE);
    }

    /// What a plan compares with each other compares as before: the slots go on.
    @Test
    void targetsRegisterAndSlotsGoOn() throws Exception {
        trial.state = StateCodec.decodeState(StateCodec.encode(after));
        assertThat(trial.state).isEqualTo(after);
        for (var target : trial.targets) {
            int incarnation = trial.entry(target).incarnation();
            assertThat(trial.apply(trial.register(target, "boot", Set.of(), Set.of())))
                    .isTrue();
            assertThat(trial.entry(target).incarnation()).isGreaterThan(incarnation);
        }
        trial.converge();
        for (int slot = 0; slot < trial.table().size(); slot++) {
            assertThat(trial.row(slot).inSync()).hasSize(2);
            assertThat(trial.row(slot).epoch()).isGreaterThan(RAISE);
        }
    }
}
