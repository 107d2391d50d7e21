package dev.sluice.deploy.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The Python package in `python`, in one of the peers' environments, with a cluster for what needs one. It is not
/// installed there.
public final class PythonPackage {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Path FOLDER = Repository.root().resolve("python");
    private static final String SETTINGS = FOLDER.resolve("pyproject.toml").toString();

    private final Path python;
    private final Map<String, String> cluster;

    private PythonPackage(String peer, Map<String, String> cluster) {
        this.python = Tools.peer(peer);
        this.cluster = cluster;
    }

    /// @param peer the environment, as `deploy/peers` knows it. Where it is absent the test is skipped
    public PythonPackage(String peer, Endpoint endpoint) {
        this(peer, variables(endpoint));
    }

    /// For what needs no cluster.
    public PythonPackage(String peer) {
        this(peer, Map.of());
    }

    private static Map<String, String> variables(Endpoint endpoint) {
        var variables = new HashMap<>(endpoint.environment());
        variables.put("SLUICE_TEST_ENDPOINT", endpoint.url().toString());
        variables.put("AWS_ENDPOINT_URL", endpoint.url().toString());
        return variables;
    }

    public void lint() {
        run(Map.of(), "-m", "ruff", "check", "--no-cache", FOLDER.toString());
        run(Map.of(), "-m", "ruff", "format", "--no-cache", "--check", FOLDER.toString());
    }

    /// What mypy finds out about Python itself stays beside the peer, also for other checkouts: most of its work.
    public void checkTypes() {
        run(
                Map.of(),
                "-m",
                "mypy",
                "--cache-dir",
                python.resolveSibling("mypy-cache").toString(),
                "--config-file",
                SETTINGS);
    }

    /// @param all also those that are long
    public void tests(boolean all) {
        var tests = FOLDER.resolve("tests").toString();
        run(
                Map.of("SLUICE_LONG", all ? "1" : "0"),
                "-m",
                "pytest",
                "-q",
                "-c",
                SETTINGS,
                "--rootdir",
                FOLDER.toString(),
                tests);
    }

    /// Into this folder, without what it needs.
    public void install(Path folder) {
        run(
                Map.of(),
                "-m",
                "pip",
                "--disable-pip-version-check",
                "install",
                "--quiet",
                "--no-index",
                "--no-deps",
                "--no-build-isolation",
                "--target",
                folder.toString(),
                FOLDER.toString());
    }

    public void example(String script, String url) {
        run(Map.of(), FOLDER.resolve("examples").resolve(script).toString(), url);
    }

    private void run(Map<String, String> more, String... arguments) {
        var command = new ArrayList<>(List.of(python.toString()));
        command.addAll(List.of(arguments));
        var environment = new HashMap<>(cluster);
        environment.put("PYTHONPATH", FOLDER.resolve("src").toString());
        environment.putAll(more);
        var finished = Finished.run(LIMIT, environment, command);
        System.out.println(finished.outText());
        finished.orFail("");
    }
}
