package dev.sluice.cli.config;

import java.nio.file.Path;

/// `[http]`: the front of a node. No certificate means plain HTTP.
public record HttpConfig(
        int eventLoops,
        TimeSpan idleTimeout,
        TimeSpan slowClientTimeout,
        TimeSpan drainTimeout,
        ByteSize smallObjectThreshold,
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

    /// The same with absolute names of files; the others begin at this folder.
    public HttpConfig below(Path dir) {
        return tls()
                ? new HttpConfig(
                        eventLoops,
                        idleTimeout,
                        slowClientTimeout,
                        drainTimeout,
                        smallObjectThreshold,
                        redirectTokenLife,
                        baseDomain,
                        dir.resolve(tlsCertificate).normalize().toString(),
                        dir.resolve(tlsKey).normalize().toString())
                : this;
    }

    public boolean tls() {
        return !tlsCertificate.isEmpty();
    }
}
