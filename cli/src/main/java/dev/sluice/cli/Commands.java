package dev.sluice.cli;

import dev.sluice.bench.BenchCommand;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.command.cluster.CompletionCommand;
import dev.sluice.cli.command.cluster.DoctorCommand;
import dev.sluice.cli.command.cluster.DownCommand;
import dev.sluice.cli.command.cluster.DriveCommands;
import dev.sluice.cli.command.cluster.EnvCommand;
import dev.sluice.cli.command.cluster.ForgetCommand;
import dev.sluice.cli.command.cluster.HostCommands;
import dev.sluice.cli.command.cluster.NodeCommands;
import dev.sluice.cli.command.cluster.RecoverCommand;
import dev.sluice.cli.command.cluster.StatusCommand;
import dev.sluice.cli.command.cluster.TopCommand;
import dev.sluice.cli.command.cluster.UiCommand;
import dev.sluice.cli.command.cluster.UpCommand;
import dev.sluice.cli.command.cluster.Version;
import dev.sluice.cli.command.job.EvictCommand;
import dev.sluice.cli.command.job.IndexCommand;
import dev.sluice.cli.command.job.JobCommands;
import dev.sluice.cli.command.job.PrefetchCommand;
import dev.sluice.cli.command.job.RefreshCommand;
import dev.sluice.cli.command.job.ResilverCommands;
import dev.sluice.cli.command.job.ScrubCommands;
import dev.sluice.cli.command.object.BucketCommands;
import dev.sluice.cli.command.object.GetCommand;
import dev.sluice.cli.command.object.ObjectCommands;
import dev.sluice.cli.command.object.PutCommand;
import dev.sluice.cli.command.object.RemoveCommand;
import dev.sluice.cli.command.object.SampleCommands;
import dev.sluice.cli.demo.DemoCommand;
import dev.sluice.cli.demo.cold.ColdCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// All commands, one line each.
public final class Commands {

    private Commands() {}

    /// A command that only has others: alone it shows its help.
    @Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
    private abstract static class Group implements Runnable {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public void run() {
            var out = Specs.out(spec);
            Objects.requireNonNull(spec).commandLine().usage(out);
            out.flush();
        }
    }

    @Command(
            name = "sluice",
            description = "A fast tier between cloud buckets and training jobs.",
            versionProvider = Version.class,
            footer = {"", "Exit codes: 0 done, 1 failed, 2 refused. Start with: sluice up"})
    private static final class Root extends Group {}

    @Command(
            name = "node",
            description = "Stops or starts one node of a --separate cluster.",
            footerHeading = Specs.EXAMPLES,
            footer = {"  sluice node stop target002", "  sluice node start target002"})
    private static final class Node extends Group {}

    @Command(
            name = "drive",
            description = "Lists, attaches, detaches, disables and enables the drives of targets.",
            footerHeading = Specs.EXAMPLES,
            footer = {
                "  sluice drive list",
                "  sluice drive attach /mnt/disk3 --target target001",
                "  sluice drive detach /mnt/disk1"
            })
    private static final class Drive extends Group {}

    /// The name of `drive` in older versions.
    @Command(
            name = "mountpath",
            hidden = true,
            description = "The same as drive: lists, attaches, detaches, disables and enables the drives of targets.")
    private static final class Mountpath extends Group {}

    @Command(
            name = "bucket",
            description = "Creates, lists, shows, changes and removes buckets.",
            footerHeading = Specs.EXAMPLES,
            footer = {
                "  sluice bucket create imagenet --backend s3://imagenet --via lab",
                "  sluice bucket create results --quota 500GiB --replicas 3",
                "  sluice bucket set imagenet --route redirect",
                "  sluice bucket show imagenet"
            })
    private static final class Bucket extends Group {}

    @Command(
            name = "scrub",
            description = "Compares what drives hold with their checksums.",
            footerHeading = Specs.EXAMPLES,
            footer = {"  sluice scrub status", "  sluice scrub start --target target001 --wait"})
    private static final class Scrub extends Group {}

    @Command(
            name = "resilver",
            description = "Moves objects to where they belong after drives have changed.",
            footerHeading = Specs.EXAMPLES,
            footer = {"  sluice resilver status", "  sluice resilver start --wait"})
    private static final class Resilver extends Group {}

    @Command(
            name = "job",
            description = "Lists, shows, awaits and stops jobs.",
            footerHeading = Specs.EXAMPLES,
            footer = {"  sluice job ls", "  sluice job wait prefetch-k3f9a2bc", "  sluice job stop prefetch-k3f9a2bc"})
    private static final class Job extends Group {}

    @Command(
            name = "cluster",
            description = "Goes on without targets, drives or controllers that will not come back.",
            footerHeading = Specs.EXAMPLES,
            footer = {
                "  sluice cluster forget target002 --dry-run",
                "  sluice cluster recover --from /mnt/disk1 --dry-run"
            })
    private static final class Cluster extends Group {}

    @Command(
            name = "sample",
            description = "Counts and fetches samples of tar shards.",
            footerHeading = Specs.EXAMPLES,
            footer = {"  sluice sample ls imagenet/train-", "  sluice sample get imagenet/train-000000.tar 17"})
    private static final class Sample extends Group {}

    private static CommandLine drives(Group group, Installation installation) {
        return new CommandLine(group)
                .addSubcommand(new DriveCommands.ListDrives(installation))
                .addSubcommand(new DriveCommands.Attach(installation))
                .addSubcommand(new DriveCommands.Detach(installation))
                .addSubcommand(new DriveCommands.Disable(installation))
                .addSubcommand(new DriveCommands.Enable(installation));
    }

    private static Map<String, Supplier<Object>> all(Installation installation) {
        var all = new LinkedHashMap<String, Supplier<Object>>();
        all.put("up", () -> new UpCommand(installation));
        all.put("down", () -> new DownCommand(installation));
        all.put("status", () -> new StatusCommand(installation));
        all.put("top", () -> new TopCommand(installation));
        all.put("ui", () -> new UiCommand(installation));
        all.put("doctor", () -> new DoctorCommand(installation));
        all.put("env", () -> new EnvCommand(installation));
        all.put(
                "node",
                () -> new CommandLine(new Node())
                        .addSubcommand(new NodeCommands.Stop(installation))
                        .addSubcommand(new NodeCommands.Start(installation))
                        .addSubcommand(new NodeCommands.Kill(installation)));
        all.put("drive", () -> drives(new Drive(), installation));
        all.put(
                "cluster",
                () -> new CommandLine(new Cluster())
                        .addSubcommand(new ForgetCommand(installation))
                        .addSubcommand(new RecoverCommand()));
        all.put("mountpath", () -> drives(new Mountpath(), installation));
        all.put(
                "bucket",
                () -> new CommandLine(new Bucket())
                        .addSubcommand(new BucketCommands.Create(installation))
                        .addSubcommand(new BucketCommands.ListBuckets(installation))
                        .addSubcommand(new BucketCommands.Show(installation))
                        .addSubcommand(new BucketCommands.SetProperties(installation))
                        .addSubcommand(new BucketCommands.Remove(installation))
                        .addSubcommand(new BucketCommands.Policy(installation)));
        all.put(
                "scrub",
                () -> new CommandLine(new Scrub())
                        .addSubcommand(new ScrubCommands.Start(installation))
                        .addSubcommand(new ScrubCommands.Status(installation))
                        .addSubcommand(new ScrubCommands.Stop(installation)));
        all.put(
                "resilver",
                () -> new CommandLine(new Resilver())
                        .addSubcommand(new ResilverCommands.Start(installation))
                        .addSubcommand(new ResilverCommands.Status(installation))
                        .addSubcommand(new ResilverCommands.Stop(installation)));
        all.put("prefetch", () -> new PrefetchCommand(installation));
        all.put("evict", () -> new EvictCommand(installation));
        all.put("index", () -> new IndexCommand(installation));
        all.put("refresh", () -> new RefreshCommand(installation));
        all.put(
                "job",
                () -> new CommandLine(new Job())
                        .addSubcommand(new JobCommands.ListJobs(installation))
                        .addSubcommand(new JobCommands.Show(installation))
                        .addSubcommand(new JobCommands.Wait(installation))
                        .addSubcommand(new JobCommands.Stop(installation)));
        all.put("put", () -> new PutCommand(installation));
        all.put("get", () -> new GetCommand(installation));
        all.put("cat", () -> new ObjectCommands.Cat(installation));
        all.put("ls", () -> new ObjectCommands.ListObjects(installation));
        all.put("rm", () -> new RemoveCommand(installation));
        all.put("stat", () -> new ObjectCommands.Stat(installation));
        all.put(
                "sample",
                () -> new CommandLine(new Sample())
                        .addSubcommand(new SampleCommands.ListSamples(installation))
                        .addSubcommand(new SampleCommands.GetSamples(installation)));
        all.put("demo", () -> new DemoCommand(installation.demo()));
        all.put("bench", BenchCommand::new);
        all.put("bench-cold", () -> new ColdCommand(installation.demo()));
        all.put("proxy", () -> new HostCommands.Proxy(installation));
        all.put("target", () -> new HostCommands.Target(installation));
        all.put("run", () -> new HostCommands.Run(installation));
        return all;
    }

    /// With all commands.
    public static CommandLine of(Installation installation) {
        var line = new CommandLine(new Root());
        all(installation).forEach((name, command) -> line.addSubcommand(name, command.get()));
        return line.addSubcommand(new CompletionCommand(line));
    }

    /// With what these arguments need: to describe all commands to the parser takes longer than most of them.
    public static CommandLine of(Installation installation, String... arguments) {
        var named = arguments.length == 0 ? null : all(installation).get(arguments[0]);
        return named == null ? of(installation) : new CommandLine(new Root()).addSubcommand(arguments[0], named.get());
    }
}
