package dev.sluice.backend;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/// Where a cloud bucket is and how to reach it; holds no credentials, so that it may be shown and stored.
///
/// @param prefix put before every key, as it stands (so usually with a `/` at its end); empty for none
/// @param endpoint another server than the cloud's own: MinIO, Ceph, a second Sluice
/// @param profile S3: the named profile of the AWS configuration on the node; GCS: the path of a credentials file
///     on the node; either: [#ANONYMOUS]. Without one, the cloud's usual chain of places
public record BackendAddress(
        Provider provider,
        String bucket,
        String prefix,
        Optional<URI> endpoint,
        Optional<String> region,
        Optional<String> profile) {
    /// The profile of those who need no credentials: public data sets.
    public static final String ANONYMOUS = "anonymous";

    public enum Provider {
        S3,
        GS;

        public String scheme() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public BackendAddress {
        if (bucket.isEmpty()) {
            throw new IllegalArgumentException("a backend needs a bucket: " + provider.scheme() + "://BUCKET");
        }
        endpoint.ifPresent(BackendAddress::checkEndpoint);
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
                return new BackendAddress(
                        provider, bucket, prefix, Optional.empty(), Optional.empty(), Optional.empty());
            }
        }
        throw new IllegalArgumentException("'" + address + "' is no backend: it begins with neither s3:// nor gs://");
    }

    public BackendAddress endpoint(URI other) {
        return new BackendAddress(provider, bucket, prefix, Optional.of(other), region, profile);
    }

    public BackendAddress region(String other) {
        return new BackendAddress(provider, bucket, prefix, endpoint, Optional.of(other), profile);
    }

    public BackendAddress profile(String other) {
        return new BackendAddress(provider, bucket, prefix, endpoint, region, Optional.of(other));
    }

    /// As it is written, without endpoint, region and profile.
    @Override
    public String toString() {
        return provider.scheme() + "://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }

    private static void checkEndpoint(URI endpoint) {
        var scheme = endpoint.getScheme();
        if (endpoint.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw new IllegalArgumentException("'" + endpoint + "' is no endpoint: http(s)://host[:port]");
        }
        if (endpoint.getUserInfo() != null) {
            throw new IllegalArgumentException("an endpoint must not hold credentials; name a profile");
        }
    }
}
