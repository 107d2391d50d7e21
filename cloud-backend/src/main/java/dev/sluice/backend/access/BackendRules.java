package dev.sluice.backend.access;

import dev.sluice.backend.BackendAddress;
import dev.sluice.common.cluster.BackendSpec;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What this node's configuration says of backends: `[backends.NAME]` and `backends.allow`. Decides for each bucket
/// where it may connect and with which credentials. Every node judges by its own.
///
/// - A bucket `via` a name gets all from that name. So does one that gives the endpoint of a name and no profile.
/// - Another endpoint, or a profile, is taken from a bucket only where `allow` matches the endpoint.
/// - The node's default credentials go to the cloud's own endpoint only. A file is never named by a bucket.
public record BackendRules(SortedMap<String, NamedBackend> named, List<EndpointPattern> allow) {
    /// The profile of those who need no credentials: public data sets.
    public static final String ANONYMOUS = "anonymous";

    public BackendRules {
        named = new TreeMap<>(named);
        allow = List.copyOf(allow);
    }

    /// @throws IllegalArgumentException saying what the bucket or the configuration must have
    public BackendConnection connection(BackendSpec spec) {
        var address = BackendAddress.parse(spec.url());
        if (spec.via().isPresent()) {
            return via(spec.via().get(), address, spec);
        }
        var endpoint = spec.endpoint().map(BackendRules::endpoint);
        var regional = spec.region().map(address::region).orElse(address);
        if (endpoint.isEmpty()) {
            return atTheCloud(regional, spec.profile());
        }
        if (spec.profile().isEmpty()) {
            return through(backendAt(address.provider(), endpoint.get()), regional);
        }
        return new BackendConnection(
                regional.endpoint(endpoint.get()),
                ofProfile(address.provider(), spec.profile().get()),
                allowed(endpoint.get()));
    }

    private static URI endpoint(String text) {
        var endpoint = URI.create(text);
        BackendAddress.checkEndpoint(endpoint);
        Destinations.checkHost(endpoint.getHost());
        return endpoint;
    }

    private BackendConnection via(String name, BackendAddress address, BackendSpec spec) {
        if (spec.endpoint().isPresent() || spec.profile().isPresent()) {
            throw new IllegalArgumentException("a bucket via '" + name
                    + "' has the endpoint and the credentials of that backend, and none of its own");
        }
        var backend = Optional.ofNullable(named.get(name))
                .orElseThrow(() -> new IllegalArgumentException(
                        "the configuration has no [backends.%s]; it has %s".formatted(name, named.keySet())));
        if (backend.type() != address.provider()) {
            throw new IllegalArgumentException("[backends.%s] has type = \"%s\", which does not serve %s"
                    .formatted(name, backend.type().scheme(), address));
        }
        return through(backend, spec.region().map(address::region).orElse(address));
    }

    private static BackendConnection through(NamedBackend backend, BackendAddress address) {
        var there = backend.endpoint().map(address::endpoint).orElse(address);
        var regional = there.region().isPresent()
                ? there
                : backend.region().map(there::region).orElse(there);
        return new BackendConnection(regional, backend.credentials(), Reach.NAMED);
    }

    /// The one backend at an endpoint that a bucket gives without a profile.
    private NamedBackend backendAt(BackendAddress.Provider provider, URI endpoint) {
        var there = named.entrySet().stream()
                .filter(backend -> backend.getValue().serves(provider, endpoint))
                .toList();
        if (there.size() > 1) {
            throw new IllegalArgumentException(
                    "the endpoint %s is that of several backends: say which by via, one of %s"
                            .formatted(
                                    endpoint,
                                    there.stream().map(Map.Entry::getKey).toList()));
        }
        if (there.isEmpty()) {
            throw new IllegalArgumentException(
                    ("the endpoint %s has no credentials: put it into the nodes' configuration as a [backends.NAME] of type"
                                    + " \"%s\" (and create buckets via NAME), or give a profile (\"%s\": none)")
                            .formatted(endpoint, provider.scheme(), ANONYMOUS));
        }
        return there.getFirst().getValue();
    }

    private BackendConnection atTheCloud(BackendAddress address, Optional<String> profile) {
        if (profile.isEmpty()) {
            return new BackendConnection(address, new BackendCredentials.DefaultChain(), Reach.NAMED);
        }
        var credentials = ofProfile(address.provider(), profile.get());
        return credentials instanceof BackendCredentials.Anonymous
                ? new BackendConnection(address, credentials, Reach.NAMED)
                : new BackendConnection(
                        address, credentials, allowed(address.provider().home()));
    }

    private static BackendCredentials ofProfile(BackendAddress.Provider provider, String profile) {
        if (profile.equals(ANONYMOUS)) {
            return new BackendCredentials.Anonymous();
        }
        if (provider == BackendAddress.Provider.GS) {
            throw new IllegalArgumentException(
                    "a bucket cannot name a credentials file: put it into the nodes' configuration as credentials_file of a"
                            + " [backends.NAME] of type \"gs\", and create buckets via NAME");
        }
        return new BackendCredentials.Profile(profile);
    }

    private Reach allowed(URI endpoint) {
        return allow.stream()
                .flatMap(pattern -> pattern.reach(endpoint).stream())
                .min(Reach::compareTo)
                .orElseThrow(() -> new IllegalArgumentException(
                        ("a bucket may not give an endpoint or profile at %s: put it into the nodes' configuration as a"
                                        + " [backends.NAME] (and create buckets via NAME), or add \"%s\" to backends.allow")
                                .formatted(endpoint, endpoint)));
    }
}
