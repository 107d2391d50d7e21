package dev.sluice.deploy;

import dev.sluice.deploy.harness.Clients;
import dev.sluice.deploy.harness.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What every client must be able to do, whichever server stands behind the endpoint.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientsTests {
    private final Endpoint endpoint;
    private final Map<String, String> environment;

    ClientsTests(Endpoint endpoint, Map<String, String> environment) {
        this.endpoint = endpoint;
        this.environment = environment;
    }

    @ParameterizedTest
    @EnumSource
    void program(Clients client) {
        client.check(endpoint, environment);
    }

    @Nested
    class AwsSdkForJava extends AwsSdkForJavaTests {
        AwsSdkForJava() {
            super(endpoint);
        }
    }
}
