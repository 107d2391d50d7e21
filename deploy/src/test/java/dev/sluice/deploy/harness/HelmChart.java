package dev.sluice.deploy.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/// deploy/helm/sluice, rendered by helm (`deploy/peers install helm kube-schemas`).
public final class HelmChart {
    public static final String NAMESPACE = "storage";

    /// The oldest version that the chart admits, and the newest one whose schemas the peer has.
    private static final List<String> VERSIONS = List.of("1.28", "1.37");

    private static final Duration STEP = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder = Repository.root().resolve("deploy/helm/sluice");
    private final Path helm = Tools.peer("helm");
    private final Path python = Tools.peer("kube-schemas");
    private final Path scratch;

    /// @param scratch where rendered documents go, and what helm keeps
    public HelmChart(Path scratch) {
        this.scratch = scratch;
    }

    public Finished lint(String... options) {
        return helm("lint", List.of("--strict", folder.toString()), options);
    }

    /// Installed as the release `sluice`.
    public Finished template(String... options) {
        var arguments = List.of("sluice", folder.toString(), "--namespace", NAMESPACE, "--kube-version", "1.37.0");
        return helm("template", arguments, options);
    }

    private Finished helm(String command, List<String> arguments, String... options) {
        var all = new ArrayList<>(List.of(helm.toString(), command));
        all.addAll(arguments);
        all.addAll(List.of(options));
        return Finished.run(STEP, Map.of("HOME", scratch.toString(), "KUBECONFIG", ""), all);
    }

    /// A file of values in the chart's folder `ci`; none for `defaults`.
    public String[] values(String name) {
        return name.equals("defaults")
                ? new String[0]
                : new String[] {
                    "--values", folder.resolve("ci").resolve(name + ".yaml").toString()
                };
    }

    /// What is installed.
    ///
    /// @throws AssertionError if helm, or the schemas of a version of Kubernetes, refuse it
    public Documents rendered(String... options) throws IOException {
        var file = Files.createTempFile(scratch, "rendered", ".yaml");
        Files.write(file, template(options).orFail("").out());
        var command = new ArrayList<>(
                List.of(python.toString(), Repository.script("kube_schemas.py").toString(), file.toString()));
        command.addAll(VERSIONS);
        return new Documents(
                JSON.readTree(Finished.run(STEP, Map.of(), command).orFail("").out()));
    }

    /// @param all an array
    public record Documents(JsonNode all) {
        public List<JsonNode> of(String kind) {
            return StreamSupport.stream(all.spliterator(), false)
                    .filter(each -> each.path("kind").asText().equals(kind))
                    .toList();
        }

        public JsonNode one(String kind, String name) {
            return of(kind).stream()
                    .filter(each -> each.at("/metadata/name").asText().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no %s %s in %s".formatted(kind, name, all)));
        }
    }
}
