package dev.sluice.backend;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where a cloud bucket is and how to reach it; holds no credentials, so that it may be shown and stored.
///
/// @param prefix put before every key, as it stands (so usually with a `/` at its end); empty for none
/// @param endpoint another server than the cloud's own: MinIO, Ceph, a second Sluice
public record BackendAddress(
        Provider provider, String bucket, String prefix, Optional<URI> endpoint, Optional<String> region) {

    /// A region is part of the host's name where no endpoint is given.
    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9_-]{1,63}");

    public enum Provider {
        S3("https://s3.amazonaws.com"),
        GS("https://storage.googleapis.com");

        private final URI home;

        Provider(String home) {
            this.home = URI.create(home);
        }

        public String scheme() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The cloud's own endpoint, whatever the region.
        public URI home() {
            return home;
        }
    }

    public BackendAddress {
        if (bucket.isEmpty()) {
            throw new IllegalArgumentException("a backend needs a bucket: " + provider.scheme() + "://BUCKET");
        }
        endpoint.ifPresent(BackendAddress::checkEndpoint);
        region.ifPresent(BackendAddress::checkRegion);
    }

    /// @param address `s3://bucket`, `gs://bucket`, either with `/prefix`
    /// @throws IllegalArgumentException saying what is wrong with it
    public static BackendAddress parse(String address) {
        for (var provider : Provider.values()) {
            var start = provider.scheme() + "://";
            if (address.startsWith(start)) {
                var rest = address.substring(start.length());
                int slash = rest.indexOf('/');
                var bucket = slash < 0 ? rest : rest.substring(0, slash);
                var prefix = slash < 0 ? "" : rest.substring(slash + 1);
                return new BackendAddress(provider, bucket, prefix, Optional.empty(), Optional.empty());
            }
        }
        throw new IllegalArgumentException("'" + address + "' is no backend: it begins with neither s3:// nor gs://");
    }

    public BackendAddress endpoint(URI other) {
        return new BackendAddress(provider, bucket, prefix, Optional.of(other), region);
    }

    public BackendAddress region(String other) {
        return new BackendAddress(provider, bucket, prefix, endpoint, Optional.of(other));
    }

    /// As it is written, without endpoint and region.
    @Override
    public String toString() {
        return provider.scheme() + "://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }

    /// @throws IllegalArgumentException saying what is wrong with it
    public static void checkRegion(String region) {
        if (!REGION.matcher(region).matches()) {
            throw new IllegalArgumentException("'" + region + "' is no region such as us-east-1");
        }
    }

    /// @throws IllegalArgumentException saying what is wrong with it
    public static void checkEndpoint(URI endpoint) {
        var scheme = endpoint.getScheme();
        if (endpoint.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw new IllegalArgumentException("'" + endpoint + "' is no endpoint: http(s)://host[:port]");
        }
        if (endpoint.getUserInfo() != null) {
            throw new IllegalArgumentException("an endpoint must not hold credentials");
        }
        if (endpoint.getQuery() != null || endpoint.getFragment() != null) {
            throw new IllegalArgumentException("'" + endpoint + "' is no endpoint: it has a query or a fragment");
        }
    }
}
