package dev.sluice.cli.command;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.failure.CommandFailure;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice prefetch`
@Command(
        name = "prefetch",
        description = "Fetches objects of a cloud bucket onto the drives before they are asked for.",
        footerHeading = Commands.EXAMPLES,
        footer = {
            "  sluice prefetch imagenet --dry-run",
            "  sluice prefetch imagenet/train/ --wait",
            "  sluice prefetch imagenet --template 'train/shard-{0000..0127}.tar' --wait"
        })
final class PrefetchCommand extends ObjectCommand {
    private static final JsonMapper JSON = new JsonMapper();

    @Parameters(
            paramLabel = "BUCKET[/PREFIX]",
            description = "A bucket with a backend. With PREFIX only keys that begin with it.")
    private String path = "";

    @Option(
            names = "--template",
            paramLabel = "TEMPLATE",
            description = "Only these keys of the bucket: 'shard-{000..999}.tar', also {0..90..10}, several ranges.")
    private @Nullable String template;

    @Option(names = "--wait", description = "Wait for the end and show progress; exit code 1 if objects failed.")
    private boolean wait;

    @Option(names = "--dry-run", description = "Fetch nothing; show objects, bytes and requests. Waits for the end.")
    private boolean dryRun;

    PrefetchCommand(Installation installation) {
        super(installation);
    }

    @Override
    public Integer call() throws InterruptedException {
        var at = ObjectPath.parse(path);
        if (template != null && !at.key().isEmpty()) {
            throw CommandFailure.refused("give a PREFIX or a --template, not both");
        }
        var request = JSON.createObjectNode()
                .put("kind", "prefetch")
                .put("bucket", at.bucket())
                .put("prefix", at.key())
                .put("dry_run", dryRun);
        if (template != null) {
            request.put("template", template);
        }
        var job = nativeApi().startJob(request);
        if (wait || dryRun) {
            return new JobFollower(this).await(job);
        }
        return done(job, job.path("id").asText());
    }
}
