package dev.sluice.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.Reach;
import org.junit.jupiter.api.Test;

class S3ClientsTest {
    /// As `AWS_ENDPOINT_URL` does in the environment.
    @Test
    void aBucketWithoutAnEndpointIsAtAmazonWhateverTheEnvironmentSays() {
        System.setProperty("aws.endpointUrl", "http://127.0.0.1:9");
        try {
            var keys = new BackendCredentials.Keys("key", "secret");
            var connection = new BackendConnection(
                    BackendAddress.parse("s3://bucket").region("eu-central-1"), keys, Reach.NAMED);
            try (var client = S3Clients.client(connection, S3Clients.credentials(keys), BackendSettings.DEFAULT)) {
                assertThat(client.utilities().getUrl(url -> url.bucket("bucket").key("a")))
                        .hasToString("https://bucket.s3.eu-central-1.amazonaws.com/a");
            }
        } finally {
            System.clearProperty("aws.endpointUrl");
        }
    }
}
