package dev.sluice.cli.config.value;

/// Where a node listens: `127.0.0.1:8080`, `[::1]:8080`.
public record HostPort(String host, int port) {
    public static HostPort parse(String key, String text) {
        var colon = text.lastIndexOf(':');
        if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(key + " must be host:port, not '" + text + "'");
        }
        var port = Integer.parseInt(text.substring(colon + 1));
        Checks.between(key + " (its port)", port, 0, 65_535);
        var host = text.substring(0, colon);
        return new HostPort(
                host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
