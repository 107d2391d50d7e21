package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.PythonPackage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the Python package in `python` must be without a cluster: its style, its types, and that it installs.
@RequiresPeer("python")
final class PythonStyleTest {
    private final PythonPackage python = new PythonPackage("python");

    @Test
    void ruffFindsNothing() {
        python.lint();
    }

    @Test
    void mypyFindsNothing() {
        python.checkTypes();
    }

    @Test
    void pipInstallsIt(@TempDir Path folder) {
        python.install(folder);
        assertThat(folder.resolve("sluice/py.typed")).exists();
    }
}
