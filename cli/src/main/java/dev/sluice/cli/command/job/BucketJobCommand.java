package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.ObjectPath;
import dev.sluice.cli.failure.CommandFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A command that starts a job on objects of a bucket: which ones, and whether it waits for the end.
abstract class BucketJobCommand extends ObjectCommand {
    private static final JsonMapper JSON = new JsonMapper();

    @Parameters(paramLabel = "BUCKET[/PREFIX]", description = "A bucket. With PREFIX only keys that begin with it.")
    private String path = "";

    @Option(
            names = "--template",
            paramLabel = "TEMPLATE",
            description = "Only these keys of the bucket: 'shard-{000..999}.tar', also {0..90..10}, several ranges.")
    private @Nullable String template;

    @Option(
            names = "--list",
            paramLabel = "FILE",
            description = "Only these keys of the bucket: one in each line of FILE, or of standard input (-).")
    private @Nullable String list;

    @Option(names = "--wait", description = "Wait for the end and show progress; exit code 1 if objects failed.")
    private boolean wait;

    @Option(names = "--dry-run", description = "Change nothing; show objects, bytes and requests. Waits for the end.")
    private boolean dryRun;

    BucketJobCommand(Installation installation) {
        super(installation);
    }

    /// As the API names it.
    abstract String kind();

    /// Before a job that changes something is started.
    ///
    /// @param selection the objects, for messages
    abstract void confirm(String selection);

    @Override
    public Integer call() throws InterruptedException {
        var at = ObjectPath.parse(path);
        if ((at.key().isEmpty() ? 0 : 1) + (template == null ? 0 : 1) + (list == null ? 0 : 1) > 1) {
            throw CommandFailure.refused("give a PREFIX, a --template or a --list, not two of them");
        }
        var names = list == null ? List.<String>of() : NameLines.read(list);
        if (!dryRun) {
            confirm(selection(at, names));
        }
        var job = nativeApi().startJob(request(at, names));
        if (wait || dryRun) {
            return new JobFollower(this).await(job);
        }
        return done(job, job.path("id").asText());
    }

    private String selection(ObjectPath at, List<String> names) {
        if (!names.isEmpty()) {
            return "%d keys of %s".formatted(names.size(), at.bucket());
        }
        return template == null ? path : at.bucket() + "/" + template;
    }

    private ObjectNode request(ObjectPath at, List<String> names) {
        var request = JSON.createObjectNode()
                .put("kind", kind())
                .put("bucket", at.bucket())
                .put("prefix", at.key())
                .put("dry_run", dryRun);
        if (template != null) {
            request.put("template", template);
        }
        if (!names.isEmpty()) {
            names.forEach(request.putArray("list")::add);
        }
        return request;
    }
}
