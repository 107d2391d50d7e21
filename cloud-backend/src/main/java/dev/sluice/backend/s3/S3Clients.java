package dev.sluice.backend.s3;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendSettings;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;

/// How the SDK's client is set up: it makes requests and nothing else. Repeating, waiting and checking are ours.
final class S3Clients {
    private S3Clients() {}

    static S3Client client(BackendAddress address, BackendSettings settings) {
        var builder = S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder()
                        .maxConnections(settings.maxConnections())
                        .connectionTimeout(settings.connectTimeout())
                        .connectionAcquisitionTimeout(settings.connectionWait())
                        .socketTimeout(settings.readTimeout())
                        .tcpKeepAlive(true)
                        .expectContinueEnabled(true))
                .credentialsProvider(credentials(address))
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .region(region(address))
                .forcePathStyle(address.endpoint().isPresent())
                .crossRegionAccessEnabled(
                        address.endpoint().isEmpty() && address.region().isEmpty());
        address.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static AwsCredentialsProvider credentials(BackendAddress address) {
        if (address.profile().isEmpty()) {
            return DefaultCredentialsProvider.builder().build();
        }
        var profile = address.profile().get();
        return profile.equals(BackendAddress.ANONYMOUS)
                ? AnonymousCredentialsProvider.create()
                : ProfileCredentialsProvider.create(profile);
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
