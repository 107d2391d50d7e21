package dev.sluice.deploy;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.PythonPackage;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The Python package in `python`: its own tests against a cluster. [PythonStyleTest] has what needs none.
@Tag("shared")
@RequiresPeer("python")
final class PythonPackageTest {
    private final PythonPackage python;

    PythonPackageTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.python = new PythonPackage("python", cluster.endpoint());
    }

    @Test
    void testsOfThePackagePass() {
        python.tests(false);
    }
}
