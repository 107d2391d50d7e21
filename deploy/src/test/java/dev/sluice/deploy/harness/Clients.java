package dev.sluice.deploy.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Programs that are clients, run as their users run them.
public enum Clients {
    BOTO3("boto3_daily.py"),
    BOTO3_SEMANTICS("boto3_semantics.py"),
    SIGNATURES("signatures.py"),
    ODD_KEYS("odd_keys.py"),
    CURL("curl.py"),
    AWS_CLI("aws_cli.py"),
    S5CMD("s5cmd.py"),
    PYARROW("pyarrow_files.py");

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final String script;

    Clients(String script) {
        this.script = script;
    }

    /// All checks of the script must hold. Without the program the test is skipped.
    ///
    /// @param more variables besides those of the endpoint
    public void check(Endpoint endpoint, Map<String, String> more) {
        var environment = new HashMap<>(endpoint.environment());
        environment.putAll(more);
        switch (this) {
            case AWS_CLI -> environment.put("AWS_CLI", Tools.peer("aws").toString());
            case S5CMD -> environment.put("S5CMD", Tools.peer("s5cmd").toString());
            case CURL -> Tools.signingCurl();
            default -> {}
        }
        run(Tools.peer("python"), script, environment);
    }

    /// Four programs at once, for so long; targets may be killed meanwhile.
    public static void underKills(Endpoint endpoint, int seconds) {
        var environment = new HashMap<>(endpoint.environment());
        environment.put("AWS_CLI", Tools.peer("aws").toString());
        environment.put("S5CMD", Tools.peer("s5cmd").toString());
        environment.put("SLUICE_SECONDS", Integer.toString(seconds));
        run(Tools.peer("python"), "under_kills.py", environment);
    }

    static void run(Path python, String script, Map<String, String> environment) {
        var command = List.of(python.toString(), Repository.script(script).toString());
        var finished = Finished.run(LIMIT, environment, command);
        System.out.println(script + "\n" + finished.outText());
        finished.orFail("");
    }
}
