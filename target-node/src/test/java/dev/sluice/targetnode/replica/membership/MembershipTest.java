package dev.sluice.targetnode.replica.membership;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.replica.CutControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MembershipTest {
    private static final NodeId SELF = new NodeId("target001");

    @TempDir
    private Path folder;

    /// It would beat and serve nothing.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void targetThatCouldNotBeginRegistersAgain(boolean bug) throws Exception {
        var begun = new CopyOnWriteArrayList<Integer>();
        var drives = new NamedDrives();
        drives.allKnown = true;
        try (var controller = controller();
                var membership = membership(controller, drives, System::nanoTime, number -> {
                    begun.add(number);
                    if (number == 1) {
                        throw bug
                                ? new IllegalStateException("a bug")
                                : new StoreException.Unavailable("the drive does not answer");
                    }
                })) {
            membership.start();
            eventually(() -> membership.incarnation() == 2);
            assertThat(begun).containsExactly(1, 2);
            assertThat(controller.current().replication().incarnation(SELF)).isEqualTo(2);
        }
    }

    @Test
    void targetRegistersWithItsFirstDriveWhenTheOthersTakeLong() throws Exception {
        var drives = new NamedDrives();
        var now = new AtomicLong();
        try (var controller = controller();
                var membership = membership(controller, drives, now::get, _ -> {})) {
            membership.start();
            eventually(() -> drives.asked.get() > 3);
            assertThat(membership.incarnation()).isZero();
            now.addAndGet(Duration.ofSeconds(10).toNanos());
            eventually(() -> membership.incarnation() == 1);
            assertThat(controller.current().replication().drives().entries()).containsOnlyKeys("d1");
            eventually(() -> drives.reportedAs == 1);
        }
    }

    /// From its registration on others wait for it, and it has a second to beat in.
    @Test
    void targetBeatsBeforeItsDrivesHaveWritten() throws Exception {
        var beaten = new CountDownLatch(1);
        var drives = new NamedDrives() {
            @Override
            public void markAllSound() {
                try {
                    assertThat(beaten.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            }
        };
        drives.allKnown = true;
        try (var controller = controller()) {
            var plane = new CutControl(() -> controller) {
                @Override
                public void beat(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
                    assertThat(beat.incarnation()).isEqualTo(1);
                    beaten.countDown();
                    super.beat(beat, answered);
                }
            };
            try (var membership =
                    new Membership(SELF, plane, drives, Map.of(), System::nanoTime, Optional::empty, _ -> {})) {
                membership.start();
                eventually(() -> membership.incarnation() == 1);
            }
        }
    }

    private static Membership membership(
            Controller controller, NamedDrives drives, NanoClock clock, IntConsumer begin) {
        return new Membership(SELF, controller, drives, Map.of(), clock, Optional::empty, begin);
    }

    /// One drive is here, and others may come.
    private static class NamedDrives implements Membership.Drives {
        volatile boolean allKnown;
        private final AtomicInteger asked = new AtomicInteger();
        private volatile int reportedAs;

        @Override
        public boolean allKnown() {
            asked.incrementAndGet();
            return allKnown;
        }

        @Override
        public boolean isAnyHere() {
            return true;
        }

        @Override
        public List<Command.RegisteredDrive> announceAll(String nonce) {
            return List.of(new Command.RegisteredDrive("d1", 1, true));
        }

        @Override
        public Set<String> full() {
            return Set.of();
        }

        @Override
        public void markAllSound() {}

        @Override
        public void report(int incarnation) {
            reportedAs = incarnation;
        }
    }

    private Controller controller() throws IOException {
        var drive = folder.resolve("control");
        Files.createDirectories(drive.resolve(".sluice"));
        var controller = Controller.open(TestDrives.at(drive), Set.of(SELF), new TreeMap<>());
        controller.apply(new Command.Join(new Node(SELF, Role.TARGET, "http://127.0.0.1:1", "", 1)));
        return controller;
    }
}
