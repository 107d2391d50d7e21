package dev.sluice.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Sluice;
import dev.sluice.cli.node.Nodes;
import dev.sluice.cli.process.JvmCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CommandsTest {
    private static final Installation INSTALLATION = new Installation(
            new JvmCommand(Path.of("java"), List.of(), "", ""), Nodes::factory, Map.of(), Optional.empty());

    @Test
    void eachCommandIsFoundByItsOwnName() {
        var all = Commands.of(INSTALLATION).getSubcommands();
        assertThat(all).hasSizeGreaterThan(20);
        all.forEach((name, command) -> {
            assertThat(command.getCommandName()).isEqualTo(name);
            assertThat(Commands.of(INSTALLATION, name, "--help").getSubcommands())
                    .containsKey(name);
        });
    }

    @Test
    void onlyWhatIsAskedForIsMade() {
        assertThat(Commands.of(INSTALLATION, "ls", "shards/").getSubcommands()).containsOnlyKeys("ls");
    }

    @Test
    void whatIsNoCommandIsAnsweredWithAllThatAre() {
        var err = new StringWriter();
        assertThat(Sluice.run(INSTALLATION, new PrintWriter(err), new PrintWriter(err), "lst"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("lst", "Did you mean", "ls");
        var out = new StringWriter();
        assertThat(Sluice.run(INSTALLATION, new PrintWriter(out), new PrintWriter(out), "--help"))
                .isZero();
        assertThat(out.toString()).contains("mountpath", "completion").doesNotContain("  run ");
    }
}
