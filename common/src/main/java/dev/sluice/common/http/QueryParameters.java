package dev.sluice.common.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The decoded parameters of a query of our own making (peers, native API); of a repeated one the first counts.
public final class QueryParameters {
    private final Map<String, String> values = new HashMap<>();

    private QueryParameters() {}

    /// @throws IllegalArgumentException when a percent sequence is malformed
    public static QueryParameters of(String query) {
        var parameters = new QueryParameters();
        if (!query.isEmpty()) {
            for (var pair : query.split("&")) {
                int equals = pair.indexOf('=');
                var name = equals < 0 ? pair : pair.substring(0, equals);
                var value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters.values.putIfAbsent(decode(name), decode(value));
            }
        }
        return parameters;
    }

    public Optional<String> find(String name) {
        return Optional.ofNullable(values.get(name));
    }

    public String text(String name) {
        return values.getOrDefault(name, "");
    }

    /// @throws IllegalArgumentException when the parameter is missing or not a number
    public long number(String name) {
        return Long.parseLong(text(name));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
