package dev.sluice.cli.command;

import dev.sluice.bench.BenchCommand;
import dev.sluice.cli.demo.DemoCommand;
import dev.sluice.cli.demo.cold.ColdCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// All commands, one line each.
public final class Commands {
    private Commands() {}

    @Command(
            name = "sluice",
            description = "A fast tier between cloud buckets and training jobs.",
            mixinStandardHelpOptions = true,
            version = "sluice 0.1.0",
            synopsisSubcommandLabel = "COMMAND",
            footer = {"", "Exit codes: 0 done, 1 failed, 2 refused. Start with: sluice up"})
    private static final class Root {}

    @Command(name = "node", description = "Stops or starts one node of a --separate cluster.")
    private static final class Node {}

    @Command(name = "mountpath", description = "Lists, attaches, detaches, disables and enables the drives of targets.")
    private static final class Mountpath {}

    @Command(name = "bucket", description = "Creates, lists, shows, changes and removes buckets.")
    private static final class Bucket {}

    @Command(name = "scrub", description = "Compares what drives hold with their checksums.")
    private static final class Scrub {}

    @Command(name = "resilver", description = "Moves objects to where they belong after drives have changed.")
    private static final class Resilver {}

    public static CommandLine of(Installation installation) {
        var line = new CommandLine(new Root())
                .addSubcommand(new UpCommand(installation))
                .addSubcommand(new DownCommand(installation))
                .addSubcommand(new StatusCommand(installation))
                .addSubcommand(new EnvCommand(installation))
                .addSubcommand(new CommandLine(new Node())
                        .addSubcommand(new NodeCommands.Stop(installation))
                        .addSubcommand(new NodeCommands.Start(installation))
                        .addSubcommand(new NodeCommands.Kill(installation)))
                .addSubcommand(new CommandLine(new Mountpath())
                        .addSubcommand(new MountpathCommands.ListDrives(installation))
                        .addSubcommand(new MountpathCommands.Attach(installation))
                        .addSubcommand(new MountpathCommands.Detach(installation))
                        .addSubcommand(new MountpathCommands.Disable(installation))
                        .addSubcommand(new MountpathCommands.Enable(installation)))
                .addSubcommand(new CommandLine(new Bucket())
                        .addSubcommand(new BucketCommands.Create(installation))
                        .addSubcommand(new BucketCommands.ListBuckets(installation))
                        .addSubcommand(new BucketCommands.Show(installation))
                        .addSubcommand(new BucketCommands.SetProperties(installation))
                        .addSubcommand(new BucketCommands.Remove(installation))
                        .addSubcommand(new BucketCommands.Policy(installation)))
                .addSubcommand(new CommandLine(new Scrub())
                        .addSubcommand(new ScrubCommands.Start(installation))
                        .addSubcommand(new ScrubCommands.Status(installation))
                        .addSubcommand(new ScrubCommands.Stop(installation)))
                .addSubcommand(new CommandLine(new Resilver())
                        .addSubcommand(new ResilverCommands.Start(installation))
                        .addSubcommand(new ResilverCommands.Status(installation))
                        .addSubcommand(new ResilverCommands.Stop(installation)))
                .addSubcommand(new PutCommand(installation))
                .addSubcommand(new GetCommand(installation))
                .addSubcommand(new ObjectCommands.Cat(installation))
                .addSubcommand(new ObjectCommands.ListObjects(installation))
                .addSubcommand(new ObjectCommands.Remove(installation))
                .addSubcommand(new ObjectCommands.Stat(installation))
                .addSubcommand(new DemoCommand(installation.demo()))
                .addSubcommand(new BenchCommand())
                .addSubcommand(new ColdCommand(installation.demo()))
                .addSubcommand(new HostCommands.Proxy(installation))
                .addSubcommand(new HostCommands.Target(installation))
                .addSubcommand(new HostCommands.Run(installation));
        line.addSubcommand(new CompletionCommand(line));
        return line;
    }
}
