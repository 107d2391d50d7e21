package dev.sluice.backend.access;

import dev.sluice.common.store.StoreException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hc.client5.http.DnsResolver;

/// Looks up the host of every connection that a backend's client makes, and lets through only what may be connected
/// to. The client connects to the very addresses it gets from here, so a name cannot change in between.
public final class ConnectGuard implements DnsResolver {
    /// What a name leads to.
    interface Names {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private static final int DEEPEST = 16;

    private final BackendConnection connection;
    private final Names names;

    public ConnectGuard(BackendConnection connection) {
        this(connection, InetAddress::getAllByName);
    }

    ConnectGuard(BackendConnection connection, Names names) {
        this.connection = connection;
        this.names = names;
    }

    /// @throws StoreException.BackendDenied when one of the addresses must not be connected to
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        var addresses = names.addresses(host);
        Arrays.stream(addresses).forEach(address -> check(host, address));
        return addresses;
    }

    private void check(String host, InetAddress address) {
        Destinations.refusal(address, connection.reach()).ifPresent(why -> {
            var hint = connection.reach() == Reach.PUBLIC
                    ? "; a [backends.NAME] of the configuration, or backends.allow with the endpoint in full, may have private addresses"
                    : "";
            throw new StoreException.BackendDenied("%s is not asked: %s has the address %s, %s%s"
                    .formatted(connection.address(), host, address.getHostAddress(), why, hint));
        });
    }

    /// The refusal that a client's exception wraps; nothing when it failed for another reason.
    public static Optional<StoreException> refusal(Throwable thrown) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, cause -> cause.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .limit(DEEPEST)
                .filter(StoreException.BackendDenied.class::isInstance)
                .map(StoreException.class::cast)
                .findFirst();
    }

    @Override
    public String resolveCanonicalHostname(String host) {
        return host;
    }
}
