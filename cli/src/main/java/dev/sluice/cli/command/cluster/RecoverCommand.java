package dev.sluice.cli.command.cluster;

import dev.sluice.cli.command.Confirmation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.targetnode.controller.log.LogRecovery;
import dev.sluice.targetnode.storage.attach.DriveInUseException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `sluice cluster recover`
@Command(
        name = "recover",
        description = "Begins the controllers' log again from one copy of it, when no two of three controllers start."
                + " All nodes must be stopped before. Changes of the cluster that the copy lacks are lost.",
        mixinStandardHelpOptions = true,
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice cluster recover --from /mnt/disk1 --dry-run   on each controller's machine: which copy is the newest?",
            "  sluice cluster recover --from /mnt/disk1             on that machine only"
        })
public final class RecoverCommand implements Callable<Integer> {
    private static final int ANSWERS_MILLIS = 2000;

    @Option(
            names = "--from",
            required = true,
            paramLabel = "DIR",
            description = "A drive of a controller, or the folder that has its drives. The log begins again there.")
    private Path from = Path.of("");

    @Option(names = "--dry-run", description = "Only shows what is there and what would happen.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Does not ask. Required without a terminal.")
    private boolean yes;

    @Option(
            names = "--although-answering",
            description = "Goes on although something listens at the addresses of nodes.")
    private boolean although;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        try (var recovery = LogRecovery.open(from)) {
            show(recovery, Specs.out(spec));
            if (!dryRun) {
                recover(recovery, Specs.out(spec));
            }
            return 0;
        } catch (DriveInUseException running) {
            throw CommandFailure.refused(running.getMessage() + ": stop the node first");
        } catch (IOException unusable) {
            throw CommandFailure.refused(String.valueOf(unusable.getMessage()));
        }
    }

    private void recover(LogRecovery recovery, PrintWriter out) {
        var answering = answering(recovery);
        if (!answering.isEmpty() && !although) {
            throw CommandFailure.refused(
                    "%s answer: stop all nodes first. If they are other programs, say --although-answering"
                            .formatted(answering));
        }
        if (!yes) {
            Confirmation.onTerminal().require("Nodes that still run go on with what is lost here");
        }
        try {
            var log = recovery.begin(Instant.now());
            out.println("the log %s has begun on %s. Start %s first, then all other nodes"
                    .formatted(log, recovery.best().drive(), recovery.best().node()));
            out.flush();
        } catch (IOException failed) {
            throw CommandFailure.failed("%s. The old log is as it was".formatted(failed.getMessage()));
        }
    }

    /// Nodes that the copy knows of, and where something listens.
    private static List<String> answering(LogRecovery recovery) {
        return recovery.best().state().map().nodes().values().parallelStream()
                .filter(node -> listens(URI.create(node.url())))
                .map(node -> "%s at %s".formatted(node.id(), node.url()))
                .toList();
    }

    private static boolean listens(URI url) {
        try (var socket = new Socket()) {
            int usual = "https".equals(url.getScheme()) ? 443 : 80;
            socket.connect(
                    new InetSocketAddress(url.getHost(), url.getPort() >= 0 ? url.getPort() : usual), ANSWERS_MILLIS);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static void show(LogRecovery recovery, PrintWriter out) {
        Output.table(
                out,
                List.of("NODE", "DRIVE", "TERM", "ENTRY", "COMMITTED", "WRITTEN", "STATE", "LACKS"),
                recovery.copies().stream().map(RecoverCommand::row).toList());
        recovery.unusable().forEach(why -> out.println("not usable: " + why));
        answering(recovery).forEach(node -> out.println("still runs: " + node));
        var best = recovery.best();
        out.println("""

                The controllers' log begins again on %s, with the state of its entry %d, and %s alone. The
                other controllers join it by themselves. What they have of the old log never counts again.
                Before you confirm:
                - Stop ALL nodes of the cluster, on all machines.
                - Run it with --dry-run on the other controllers' machines, where a drive can be read. Recover
                  only on the one whose copy has the highest term, then the highest entry.
                What may be lost for good, when the other controllers had later entries:
                - Buckets and properties that were changed later are as they were. Deleted buckets are there
                  again, empty; buckets that were created later are gone from the list.
                - Replicas that were removed later count again, and later ones do not. So acknowledged writes may be
                  missing, older versions of objects may reappear, and objects that were deleted. All objects of a
                  slot that moved to other drives later may be missing: they are files on those drives.
                - Unfinished multipart uploads in replicated buckets end in any case.""".formatted(best.drive(), best.log().index(), best.node()));
        out.flush();
    }

    private static List<String> row(LogRecovery.Copy copy) {
        var log = copy.log();
        return List.of(
                copy.node().toString(),
                copy.drive().toString(),
                Long.toString(log.term()),
                Long.toString(log.index()),
                log.committed() < 0 ? "-" : "to " + log.committed(),
                ago(Duration.between(log.changed(), Instant.now())),
                "version " + copy.state().version(),
                log.lacks().orElse("-"));
    }

    private static String ago(Duration age) {
        if (age.toDays() > 0) {
            return age.toDays() + " d ago";
        }
        return age.toHours() > 0 ? age.toHours() + " h ago" : Math.max(0, age.toMinutes()) + " min ago";
    }
}
