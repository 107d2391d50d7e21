package dev.sluice.cli.s3;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Addresses in path style, encoded as signatures want them: all but letters, digits and `-._~` in percent.
public final class S3Address {
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private S3Address() {}

    public static URI of(URI endpoint, String path, Map<String, String> query) {
        var text = new StringBuilder(endpoint.getScheme())
                .append("://")
                .append(endpoint.getRawAuthority())
                .append(encode(path, "/"));
        if (!query.isEmpty()) {
            text.append('?');
            text.append(new TreeMap<>(query)
                    .entrySet().stream()
                            .map(pair -> encode(pair.getKey(), "") + "=" + encode(pair.getValue(), ""))
                            .collect(Collectors.joining("&")));
        }
        return URI.create(text.toString());
    }

    /// The Host header that Java's client sends.
    static String host(URI uri) {
        var standard = uri.getPort() < 0
                || (uri.getPort() == 80 && "http".equals(uri.getScheme()))
                || (uri.getPort() == 443 && "https".equals(uri.getScheme()));
        return standard ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
    }

    private static String encode(String text, String alsoPlain) {
        var encoded = new StringBuilder();
        for (var octet : text.getBytes(StandardCharsets.UTF_8)) {
            var character = (char) (octet & 0xff);
            if (PLAIN.indexOf(character) >= 0 || alsoPlain.indexOf(character) >= 0) {
                encoded.append(character);
            } else {
                encoded.append('%').append("%02X".formatted((int) character));
            }
        }
        return encoded.toString();
    }
}
