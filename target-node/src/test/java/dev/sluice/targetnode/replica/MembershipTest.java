package dev.sluice.targetnode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.TestDrives;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
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
    void targetThatCouldNotBeginEndsWhatHasBegunAndRegistersAnew(boolean bug) throws Exception {
        var begun = new CopyOnWriteArrayList<Integer>();
        var drives = new ConcurrentHashMap<String, DriveReplicas>();
        var proposals = new RecordedProposals();
        try (var target = new TargetFixture(folder.resolve("target"));
                var controller = controller();
                var loops = new RecordedLoops(folder, 1, "d1");
                proposals) {
            var first = Objects.requireNonNull(loops.byDrive().get("d1"));
            var membership = new Membership(
                    SELF,
                    target.store(),
                    controller,
                    drives,
                    System::nanoTime,
                    number -> {
                        begun.add(number);
                        if (number == 1) {
                            drives.put("d1", first);
                            throw bug
                                    ? new IllegalStateException("a bug")
                                    : new StoreException.Unavailable("the drive does not answer");
                        }
                    },
                    proposals.proposer());
            try (membership) {
                membership.start();
                TargetFixture.eventually(() -> membership.incarnation() == 2);
                assertThat(begun).containsExactly(1, 2);
                assertThat(controller.current().replication().incarnation(SELF)).isEqualTo(2);
                TargetFixture.eventually(first::isOver);
            }
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
