package dev.sluice.targetnode.controller.log;

import static dev.sluice.targetnode.controller.log.SeatNodes.ALL;
import static dev.sluice.targetnode.controller.log.SeatNodes.ONE;
import static dev.sluice.targetnode.controller.log.SeatNodes.THREE;
import static dev.sluice.targetnode.controller.log.SeatNodes.TWO;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.FoundCluster;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.planning.PlanningFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// One controller's files are damaged while it is stopped, each in turn. It comes back, where that may have cost it
/// something that counts under another id, and has what the others have.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class SeatDamageTest {
    /// What a folder has, by the beginnings of the names.
    private static final List<String> FILES =
            List.of("server", "record", "raft-meta", "raft-meta.conf", "log_inprogress");

    /// Without one of these it does not know what it said, or to whom.
    private static final List<String> IDENTITY = List.of("server", "record", "raft-meta");

    /// A bit is flipped near the end, which counts in each of them, or in the first entries of a log, whose file ends
    /// in zeros.
    private static final int LAST = 300;

    @TempDir
    private Path folder;

    enum Damage {
        FLIP {
            @Override
            byte[] of(byte[] content) {
                content[Math.min(LAST, content.length - 5)] ^= 0x10;
                return content;
            }
        },
        CUT {
            @Override
            byte[] of(byte[] content) {
                return Arrays.copyOf(content, content.length / 2);
            }
        },
        EMPTY {
            @Override
            byte[] of(byte[] content) {
                return new byte[0];
            }
        },
        DELETE {
            @Override
            byte[] of(byte[] content) {
                return content;
            }

            @Override
            void inflict(Path file) throws IOException {
                Files.delete(file);
            }
        };

        abstract byte[] of(byte[] content);

        void inflict(Path file) throws IOException {
            Files.write(file, of(Files.readAllBytes(file)));
        }
    }

    private static void change(SeatNodes nodes, int number) {
        var before = nodes.leader().snapshot().orElseThrow();
        var joining = new Command.Join(new Node(ONE, Role.TARGET, "http://h:" + number, "", 1));
        nodes.propose(Planner.plan(before, joining, PlanningFacts.KNOWS_NOTHING).orElseThrow());
    }

    private static Path find(Path folder, String beginning) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .filter(path -> beginning.equals("log_inprogress")
                            ? path.getFileName().toString().startsWith(beginning)
                            : path.endsWith(beginning))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLIP", "EMPTY"})
    void controllerWithADamagedFileComesBack(Damage damage) throws Exception {
        requireBack(damage);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"CUT", "DELETE"})
    void controllerWithADamagedFileComesBackToo(Damage damage) throws Exception {
        requireBack(damage);
    }

    private void requireBack(Damage damage) throws Exception {
        try (var nodes = new SeatNodes(folder)) {
            nodes.open(ONE, TWO, THREE);
            eventually(nodes.log(ONE)::mayFound);
            nodes.propose(new FoundCluster("cluster", new TreeSet<>(ALL)));
            nodes.awaitAll();
            int changes = 0;
            for (var name : FILES) {
                var old = nodes.awaitServer(THREE);
                change(nodes, ++changes);
                nodes.awaitAll();
                nodes.close(THREE);
                damage.inflict(find(nodes.raft(THREE, "d0"), name));
                change(nodes, ++changes);
                nodes.open(THREE);
                assertThat(nodes.awaitAll().version()).as(name).isEqualTo(changes);
                if (IDENTITY.contains(name)) {
                    assertThat(nodes.awaitServer(THREE)).as(name).isNotEqualTo(old);
                }
            }
        }
    }
}
