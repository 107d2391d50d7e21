package dev.sluice.backend.access;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An entry of `backends.allow`: `*`, `SCHEME://HOST[:PORT]` or `SCHEME://*.DOMAIN[:PORT]`.
public sealed interface EndpointPattern {
    /// What an endpoint's pattern looks like; the groups are scheme, `*.`, host and port.
    Pattern FORM = Pattern.compile("(https?)://(\\*\\.)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?/?");

    /// Where an endpoint is, whatever its path.
    record Origin(String scheme, String host, int port) {}

    /// Every endpoint.
    record Any() implements EndpointPattern {}

    /// One endpoint.
    record Exactly(Origin origin) implements EndpointPattern {}

    /// The endpoints whose hosts end with a dot and this origin's host.
    record Below(Origin origin) implements EndpointPattern {}

    /// @throws IllegalArgumentException saying what a pattern looks like
    static EndpointPattern parse(String text) {
        if (text.equals("*")) {
            return new Any();
        }
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' must be \"*\" or an endpoint such as \"https://minio.example.com:9000\" or \"https://*.example.com\"");
        }
        int port = form.group(4) == null ? -1 : Integer.parseInt(form.group(4));
        if (port > 65_535) {
            throw new IllegalArgumentException("'" + text + "' has no port from 0 to 65535");
        }
        var origin = origin(form.group(1), form.group(3), port);
        if (form.group(2) != null) {
            return new Below(origin);
        }
        Destinations.checkHost(origin.host());
        return new Exactly(origin);
    }

    /// What a connection to this endpoint may reach; nothing when the pattern does not match it.
    default Optional<Reach> reach(URI endpoint) {
        var given = origin(endpoint);
        return switch (this) {
            case Any _ -> Optional.of(Reach.NAMED);
            case Exactly(var origin) -> given.equals(origin) ? Optional.of(Reach.NAMED) : Optional.empty();
            case Below(var origin) ->
                given.scheme().equals(origin.scheme())
                                && given.port() == origin.port()
                                && given.host().endsWith("." + origin.host())
                        ? Optional.of(Reach.PUBLIC)
                        : Optional.empty();
        };
    }

    static Origin origin(URI endpoint) {
        return origin(endpoint.getScheme(), endpoint.getHost(), endpoint.getPort());
    }

    private static Origin origin(String scheme, String host, int port) {
        int usual = scheme.equals("https") ? 443 : 80;
        return new Origin(scheme, host.toLowerCase(Locale.ROOT), port < 0 ? usual : port);
    }
}
