package dev.sluice.backend.s3;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.ConnectGuard;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;

/// How the SDK's client is set up: it makes requests and nothing else. Repeating, waiting and checking are ours.
final class S3Clients {
    private static final String PROFILE_NAME = "sluice";

    /// Instead of the node's AWS files and `AWS_ENDPOINT_URL`, as far as they say where S3 is: a bucket without an
    /// endpoint is at Amazon's own. Credentials are still found there.
    private static final ProfileFile OWN_ENDPOINTS = ProfileFile.builder()
            .type(ProfileFile.Type.CONFIGURATION)
            .content(new ByteArrayInputStream("[profile %s]%nignore_configured_endpoint_urls = true%n"
                    .formatted(PROFILE_NAME)
                    .getBytes(StandardCharsets.UTF_8)))
            .build();

    private S3Clients() {}

    static S3Client client(BackendConnection connection, AwsCredentialsProvider credentials, BackendSettings settings) {
        var address = connection.address();
        var builder = S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder()
                        .maxConnections(settings.maxConnections())
                        .connectionTimeout(settings.connectTimeout())
                        .connectionAcquisitionTimeout(settings.connectionWait())
                        .socketTimeout(settings.readTimeout())
                        .tcpKeepAlive(true)
                        .expectContinueEnabled(true)
                        .dnsResolver(new ConnectGuard(connection)))
                .credentialsProvider(credentials)
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry())
                        .defaultProfileName(PROFILE_NAME)
                        .defaultProfileFile(OWN_ENDPOINTS))
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .region(region(address))
                .forcePathStyle(address.endpoint().isPresent())
                .crossRegionAccessEnabled(
                        address.endpoint().isEmpty() && address.region().isEmpty());
        address.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    static AwsCredentialsProvider credentials(BackendCredentials credentials) {
        return switch (credentials) {
            case BackendCredentials.Anonymous _ -> AnonymousCredentialsProvider.create();
            case BackendCredentials.Profile(var name) -> ProfileCredentialsProvider.create(name);
            case BackendCredentials.Keys(var accessKey, var secretKey) ->
                StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
            case BackendCredentials.DefaultChain _ ->
                DefaultCredentialsProvider.builder().build();
            case BackendCredentials.CredentialsFile(var file) ->
                throw new IllegalArgumentException("S3 has no credentials file such as " + file);
        };
    }

    private static Region region(BackendAddress address) {
        if (address.region().isPresent()) {
            return Region.of(address.region().get());
        }
        if (address.endpoint().isPresent()) {
            return Region.US_EAST_1; // asking the chain could mean asking a cloud's metadata service
        }
        try {
            return new DefaultAwsRegionProviderChain().getRegion();
        } catch (SdkClientException e) { // nothing configured; the bucket's answer tells the right one
            return Region.US_EAST_1;
        }
    }
}
