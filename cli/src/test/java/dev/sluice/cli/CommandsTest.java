package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.node.Nodes;
import dev.sluice.cli.process.Build;
import dev.sluice.cli.process.JvmCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

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
        assertThat(out.toString()).contains("drive", "completion").doesNotContain("  run ", "mountpath");
    }

    @ParameterizedTest
    @ValueSource(strings = {"node", "drive", "bucket", "scrub", "resilver"})
    void aGroupShowsItsCommandsAndExamplesAloneAndWithHelp(String group) {
        var help = helpOf(group, "--help");
        assertThat(help).contains("Usage: sluice " + group, "Examples:", "  sluice " + group + " ");
        Commands.of(INSTALLATION).getSubcommands().entrySet().stream()
                .filter(entry -> entry.getKey().equals(group))
                .flatMap(entry -> entry.getValue().getSubcommands().keySet().stream())
                .forEach(command -> assertThat(help).contains("  " + command + " "));
        assertThat(helpOf(group)).isEqualTo(help);
    }

    /// `bench` measures any S3 endpoint; everything else talks to Sluice.
    @Test
    void endpointMeansTheClusterInEveryCommand() {
        var byName = new TreeMap<String, CommandLine>();
        Commands.of(INSTALLATION).getSubcommands().forEach((name, command) -> {
            byName.put(name, command);
            command.getSubcommands().forEach((sub, line) -> byName.put(name + " " + sub, line));
        });
        byName.keySet().removeIf(name -> name.startsWith("bench"));
        var naming = byName.entrySet().stream()
                .filter(entry -> entry.getValue().getCommandSpec().findOption("--endpoint") != null)
                .toList();
        assertThat(naming).hasSizeGreaterThan(20);
        assertThat(naming)
                .allSatisfy(entry -> assertThat(entry.getValue()
                                .getCommandSpec()
                                .findOption("--endpoint")
                                .names())
                        .as(entry.getKey())
                        .contains("--cluster"));
    }

    @Test
    void sluiceAloneShowsItsHelp() {
        assertThat(helpOf()).contains("Usage: sluice", "bucket", "Start with: sluice up");
    }

    @Test
    void versionNamesTheCommitAndASourceCheckout() {
        assertThat(helpOf("--version")).matches("sluice \\d+\\.\\d+\\.\\d+\\S* \\(commit [0-9a-z-]+\\)\\R");
        assertThat(new Build("1.2.3", "0123456789ab").text("source checkout"))
                .isEqualTo("1.2.3 (commit 0123456789ab, source checkout)");
    }

    private static String helpOf(String... arguments) {
        var out = new StringWriter();
        assertThat(Sluice.run(INSTALLATION, new PrintWriter(out), new PrintWriter(Writer.nullWriter()), arguments))
                .isZero();
        return out.toString();
    }
}
