package dev.sluice.cli.command.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.Confirmation;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.command.Specs;
import dev.sluice.cli.failure.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice cluster forget`
@Command(
        name = "forget",
        description = "Gives up a target, or a drive, that will not come back: its replicas go to other drives."
                + " By it you say that its process has ended.",
        footerHeading = Specs.EXAMPLES,
        footer = {"  sluice cluster forget target002 --dry-run", "  sluice cluster forget d91da1ff4a1c1474 --yes"})
public final class ForgetCommand extends ObjectCommand {
    @Parameters(paramLabel = "ID|DRIVE", description = "A target that is down, or a drive that is offline.")
    private String id = "";

    @Option(
            names = "--accept-data-loss",
            description =
                    "Also where no other replica has every acknowledged write, and the newest that is left counts; or where"
                            + " too few slices are left to read objects.")
    private boolean acceptDataLoss;

    @Option(names = "--dry-run", description = "Only shows what would happen.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Does not ask. Required without a terminal.")
    private boolean yes;

    public ForgetCommand(Installation installation) {
        super(installation);
    }

    @Override
    public Integer call() {
        var plan = nativeApi().forget(id, acceptDataLoss, true);
        if (dryRun) {
            return show(plan);
        }
        if (plan.path("lost").asLong() + plan.path("unreadable").asLong() > 0 && !acceptDataLoss) {
            throw CommandFailure.refused(consequence(plan) + ". Bring it back, or accept that with --accept-data-loss");
        }
        if (!yes) {
            Confirmation.onTerminal().require(consequence(plan));
        }
        var done = nativeApi().forget(id, acceptDataLoss, false);
        long left = done.path("left").asLong();
        if (left > 0) {
            throw CommandFailure.failed("%d slots still name it: repeat the command".formatted(left));
        }
        return done(
                done,
                "%s is forgotten; %d slots went to other drives"
                        .formatted(id, done.path("slots").asLong()));
    }

    private int show(JsonNode plan) {
        if (json()) {
            Output.json(out(), plan);
        } else {
            out().println(consequence(plan));
        }
        return 0;
    }

    private String consequence(JsonNode plan) {
        var said = new ArrayList<String>();
        said.add("%s: %d slots lose a replica, and %s never takes part again"
                .formatted(
                        id, plan.path("slots").asLong(), plan.path("drives").size() == 1 ? "its drive" : "its drives"));
        long lost = plan.path("lost").asLong();
        if (lost > 0) {
            said.add("%d of them (%d with a learner) lose the last replica that has every acknowledged write:"
                            .formatted(lost, plan.path("lost_with_learner").asLong())
                    + " older versions and deleted objects of these slots may reappear, in " + buckets(plan));
        }
        long unreadable = plan.path("unreadable").asLong();
        if (unreadable > 0) {
            said.add("%d of them keep too few slices: their objects cannot be read any more, in %s"
                    .formatted(unreadable, buckets(plan)));
        }
        long waiting = plan.path("waiting").asLong();
        if (waiting > 0) {
            said.add("%d wait for another replica that is away".formatted(waiting));
        }
        return String.join("; ", said);
    }

    private static String buckets(JsonNode plan) {
        List<String> names = StreamSupport.stream(plan.path("buckets").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
        return String.join(", ", names);
    }
}
