package dev.sluice.cli.command;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.s3.S3Client;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// What the commands on buckets and objects have in common: which cluster, and text or JSON.
@Command(mixinStandardHelpOptions = true)
public abstract class ClusterCommand implements Callable<Integer> {
    private final Installation installation;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    public ClusterCommand(Installation installation) {
        this.installation = installation;
    }

    public abstract ClusterOptions cluster();

    public S3Client s3() {
        return cluster().s3(installation);
    }

    public NativeApi nativeApi() {
        return cluster().nativeApi(installation);
    }

    public PrintWriter out() {
        return Specs.out(spec);
    }

    public PrintWriter err() {
        return Specs.err(spec);
    }

    public boolean json() {
        return json;
    }

    /// The result as JSON if asked for, else the text.
    public int done(Object result, String text) {
        if (json) {
            Output.json(out(), result);
        } else {
            out().println(text);
            out().flush();
        }
        return 0;
    }

    /// The end of a command on many objects: exit code 1 if one of them failed.
    public int done(Transfer.Summary summary, String verb) {
        summary.failures().forEach(failure -> err().println("sluice: " + failure));
        done((Object) summary, summary.text(verb));
        return summary.failures().isEmpty() ? 0 : 1;
    }
}
