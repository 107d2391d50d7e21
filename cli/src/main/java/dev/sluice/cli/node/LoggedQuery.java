package dev.sluice.cli.node;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A query without what gives access: signatures, credentials, tokens. Whole parameters are left out, by their
/// decoded names.
final class LoggedQuery {
    private static final String[] SECRET = {
        "signature", "credential", "token", "authorization", "accesskey", "access_key", "secret", "password"
    };

    private LoggedQuery() {}

    static String of(String query) {
        return query.isEmpty()
                ? query
                : Stream.of(query.split("&")).filter(LoggedQuery::isHarmless).collect(Collectors.joining("&"));
    }

    private static boolean isHarmless(String parameter) {
        int value = parameter.indexOf('=');
        var name = value < 0 ? parameter : parameter.substring(0, value);
        try {
            var plain = URLDecoder.decode(name, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
            return Stream.of(SECRET).noneMatch(plain::contains);
        } catch (IllegalArgumentException undecodable) {
            return false; // of a request that is refused anyway
        }
    }
}
