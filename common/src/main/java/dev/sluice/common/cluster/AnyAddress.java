package dev.sluice.common.cluster;

import java.net.URI;
import java.util.Set;

/// URLs of nodes that listen on every address of their machine, as `http://0.0.0.0:8180`. The nodes of one machine
/// reach each other by them; nobody else can.
public final class AnyAddress {
    private static final Set<String> ANY = Set.of("0.0.0.0", "[::]");

    private AnyAddress() {}

    /// @param host as it stands in URLs: a name of that machine
    /// @return the URL, with this host if it had any address
    public static String named(String url, String host) {
        var parts = URI.create(url);
        return ANY.contains(parts.getHost())
                ? parts.getScheme() + "://" + host + (parts.getPort() < 0 ? "" : ":" + parts.getPort())
                : url;
    }
}
