package dev.sluice.deploy;

import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Clients;
import dev.sluice.deploy.harness.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What every program that is a client must be able to do, whichever server stands behind the endpoint.
@RequiresPeer({"python", "aws", "s5cmd"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientsTests {
    abstract Endpoint endpoint();

    /// What the scripts are told besides the endpoint.
    Map<String, String> environment() {
        return Map.of();
    }

    /// Each has buckets of its own. The class itself is not concurrent: others disable the cluster's drives.
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource
    void program(Clients client) {
        client.check(endpoint(), environment());
    }
}
