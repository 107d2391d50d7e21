package dev.sluice.deploy.harness;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/// An S3 server and the keys to it: Sluice, or another in its place.
public record Endpoint(URI url, String accessKey, String secretKey) {
    /// A client with the SDK's own settings, but for retries: a failure that goes away by itself is still a failure.
    public S3Client client() {
        return S3Client.builder()
                .endpointOverride(url)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .overrideConfiguration(ClientOverrideConfiguration.builder()
                        .retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .apiCallTimeout(Duration.ofSeconds(90))
                        .build())
                .build();
    }

    public S3Presigner presigner() {
        return S3Presigner.builder()
                .endpointOverride(url)
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials())
                .build();
    }

    public Endpoint at(URI other) {
        return new Endpoint(other, accessKey, secretKey);
    }

    /// What programs that are clients read, and nothing of the user's own settings.
    public Map<String, String> environment() {
        return Map.of(
                "SLUICE_ENDPOINT", url.toString(),
                "AWS_ACCESS_KEY_ID", accessKey,
                "AWS_SECRET_ACCESS_KEY", secretKey,
                "AWS_REGION", "us-east-1",
                "AWS_CONFIG_FILE", "/dev/null",
                "AWS_SHARED_CREDENTIALS_FILE", "/dev/null",
                "AWS_EC2_METADATA_DISABLED", "true",
                "PYTHONDONTWRITEBYTECODE", "1",
                "PYTHONUTF8", "1");
    }

    private StaticCredentialsProvider credentials() {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
    }
}
