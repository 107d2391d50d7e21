package dev.sluice.cli.config;

import dev.sluice.cli.config.value.ByteSize;
import dev.sluice.cli.config.value.Checks;
import dev.sluice.cli.config.value.TimeSpan;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// `[http]`: the front of a node. No certificate means plain HTTP.
///
/// @param baseDomain names that end the Host of virtual-host style, separated by commas; empty for none
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
    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9-]+([.][A-Za-z0-9-]+)*");

    public static final HttpConfig DEFAULTS = new HttpConfig(
            0,
            TimeSpan.parse("75s"),
            TimeSpan.parse("120s"),
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
        for (var domain : domains(baseDomain)) {
            if (!DOMAIN.matcher(domain).matches()) {
                throw new IllegalArgumentException(
                        "http.base_domain must be names of hosts, separated by commas, not '%s'".formatted(domain));
            }
        }
    }

    public List<String> baseDomains() {
        return domains(baseDomain);
    }

    private static List<String> domains(String text) {
        return text.isBlank()
                ? List.of()
                : Stream.of(text.split(",", -1)).map(String::strip).toList();
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
