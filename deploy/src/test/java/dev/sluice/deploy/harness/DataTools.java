package dev.sluice.deploy.harness;

import java.util.HashMap;

/// Tools of those who train models, each with the jobs that it is used for.
public enum DataTools {
    SMART_OPEN("smart_open_streams.py"),
    LANCE("lance_dataset.py"),
    MLFLOW("mlflow_artifacts.py"),
    DVC("dvc_remote.py"),
    RCLONE("rclone.py");

    private final String script;

    DataTools(String script) {
        this.script = script;
    }

    /// All checks of the script must hold. Without the tool the test is skipped.
    public void check(Endpoint endpoint) {
        var environment = new HashMap<>(endpoint.environment());
        environment.put("AWS_DEFAULT_REGION", "us-east-1");
        if (this == RCLONE) {
            environment.put("RCLONE", Tools.peer("rclone").toString());
        }
        Clients.run(Tools.peer(this == RCLONE ? "python" : "data-tools"), script, environment);
    }
}
