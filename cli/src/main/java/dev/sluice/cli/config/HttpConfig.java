package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/// `[http]`: the front of a node. No certificate means plain HTTP.
public record HttpConfig(
        int eventLoops,
        TimeSpan idleTimeout,
        TimeSpan slowClientTimeout,
        TimeSpan drainTimeout,
        ByteSize copyBelow,
        Route route,
        TimeSpan redirectTokenLife,
        String tlsCertificate,
        String tlsKey) {
    /// Whether a proxy sends a client on or passes the bytes through; `auto` decides by client.
    public enum Route {
        AUTO,
        REDIRECT,
        RELAY;

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final HttpConfig DEFAULTS = new HttpConfig(
            0,
            TimeSpan.parse("75s"),
            TimeSpan.parse("30s"),
            TimeSpan.parse("10s"),
            ByteSize.parse("32KiB"),
            Route.AUTO,
            TimeSpan.parse("60s"),
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
