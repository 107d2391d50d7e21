package dev.sluice.backend;

import java.time.Duration;

/// How hard a backend is used; the same for every bucket of a node.
///
/// @param maxConnections requests at once per backend, open streams included
/// @param requestsPerSecond at one backend, repetitions included; 0 for as many as the connections do
/// @param connectTimeout for one connection to be made
/// @param readTimeout the longest silence of the cloud in the middle of an answer
/// @param connectionWait the longest wait for one of the connections
/// @param attempts of a request that may be repeated, in all
/// @param firstBackoff before the first repetition; doubled for each one after it, jittered
/// @param longestBackoff where the doubling ends
/// @param multipartThreshold objects larger than this are put in parts (S3 refuses more than 5 GiB in one)
/// @param partSize of such a put, raised where 10 000 parts would not do
public record BackendSettings(
        int maxConnections,
        int requestsPerSecond,
        Duration connectTimeout,
        Duration readTimeout,
        Duration connectionWait,
        int attempts,
        Duration firstBackoff,
        Duration longestBackoff,
        long multipartThreshold,
        long partSize) {
    public static final BackendSettings DEFAULT = new BackendSettings(
            128,
            0,
            Duration.ofSeconds(3),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            4,
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            5L << 30,
            128L << 20);

    public BackendSettings {
        if (maxConnections < 1 || attempts < 1) {
            throw new IllegalArgumentException("a backend needs at least one connection and one attempt");
        }
        if (requestsPerSecond < 0) {
            throw new IllegalArgumentException("a backend takes a number of requests a second, or 0 for any");
        }
        if (partSize < 5L << 20 || multipartThreshold > 5L << 30) {
            throw new IllegalArgumentException("S3 takes parts of at least 5 MiB, and at most 5 GiB in one put");
        }
    }

    public BackendSettings maxConnections(int other) {
        return new BackendSettings(
                other,
                requestsPerSecond,
                connectTimeout,
                readTimeout,
                connectionWait,
                attempts,
                firstBackoff,
                longestBackoff,
                multipartThreshold,
                partSize);
    }

    public BackendSettings requestsPerSecond(int other) {
        return new BackendSettings(
                maxConnections,
                other,
                connectTimeout,
                readTimeout,
                connectionWait,
                attempts,
                firstBackoff,
                longestBackoff,
                multipartThreshold,
                partSize);
    }
}
