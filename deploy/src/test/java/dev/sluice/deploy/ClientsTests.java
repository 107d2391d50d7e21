package dev.sluice.deploy;

import dev.sluice.deploy.harness.Clients;
import dev.sluice.deploy.harness.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What every client must be able to do, whichever server stands behind the endpoint.
@Tag("peers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientsTests {
    abstract Endpoint endpoint();

    /// What the scripts are told besides the endpoint.
    Map<String, String> environment() {
        return Map.of();
    }

    @ParameterizedTest
    @EnumSource
    void program(Clients client) {
        client.check(endpoint(), environment());
    }

    @Nested
    class AwsSdkForJava extends AwsSdkForJavaTests {
        AwsSdkForJava() {
            super(endpoint());
        }
    }
}
