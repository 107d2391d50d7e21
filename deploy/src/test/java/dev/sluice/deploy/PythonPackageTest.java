package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.PythonPackage;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The Python package in `python`: its style, its types, and its own tests against a cluster.
@Tag("shared")
@RequiresPeer("python")
final class PythonPackageTest {
    private final PythonPackage python;

    PythonPackageTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.python = new PythonPackage("python", cluster.endpoint());
    }

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

    @Test
    void testsOfThePackagePass() {
        python.tests(false);
    }
}
