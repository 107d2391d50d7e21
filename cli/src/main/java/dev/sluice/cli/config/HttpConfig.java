package dev.sluice.cli.config;

/// `[http]`: the front of a node. No certificate means plain HTTP.
public record HttpConfig(
        int eventLoops,
        TimeSpan idleTimeout,
        TimeSpan slowClientTimeout,
        TimeSpan drainTimeout,
        ByteSize copyBelow,
        TimeSpan redirectTokenLife,
        String baseDomain,
        String tlsCertificate,
        String tlsKey) {
    public static final HttpConfig DEFAULTS = new HttpConfig(
            0,
            TimeSpan.parse("75s"),
            TimeSpan.parse("30s"),
            TimeSpan.parse("10s"),
            ByteSize.parse("32KiB"),
            TimeSpan.parse("60s"),
            "",
            "",
            "");

    public HttpConfig {
        Checks.atLeast("http.event_loops", eventLoops, 0);
        if (tlsCertificate.isEmpty() != tlsKey.isEmpty()) {
            throw new IllegalArgumentException(
                    "http.tls_certificate and http.tls_key are given together or not at all");
        }
    }

    public boolean tls() {
        return !tlsCertificate.isEmpty();
    }
}
