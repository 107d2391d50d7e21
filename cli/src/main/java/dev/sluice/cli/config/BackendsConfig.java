package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.backend.access.BackendRules;
import dev.sluice.backend.access.EndpointPattern;
import dev.sluice.backend.access.NamedBackend;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// `[backends]`: the clouds that buckets may stand before, a table `[backends.NAME]` each, and `allow`: the endpoints
/// that a bucket may give by itself. `up` chooses an `allow` that is left out; a node then allows none.
public record BackendsConfig(
        Optional<List<String>> allow, @JsonAnyGetter Map<String, BackendConfig> named) {
    public static final BackendsConfig DEFAULTS = new BackendsConfig(Optional.empty(), Map.of());

    private static final String SECTION = "backends";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public BackendsConfig {
        allow = allow.map(List::copyOf);
        named = Collections.unmodifiableMap(new TreeMap<>(named));
        rules(allow, named);
    }

    @JsonCreator
    static BackendsConfig read(
            @JsonProperty("allow") Optional<List<String>> allow, @JsonAnySetter Map<String, BackendConfig> named) {
        return new BackendsConfig(allow, named);
    }

    /// What a node on this host is told: one that only its own machine reaches takes what its user says.
    public BackendsConfig on(boolean loopback) {
        return new BackendsConfig(Optional.of(allow.orElse(loopback ? List.of("*") : List.of())), named);
    }

    public BackendRules rules() {
        return rules(allow, named);
    }

    private static BackendRules rules(Optional<List<String>> allow, Map<String, BackendConfig> named) {
        var backends = new TreeMap<String, NamedBackend>();
        named.forEach((name, backend) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "backends.'%s': a name has 1 to 64 letters, digits, '_' and '-'".formatted(name));
            }
            backends.put(name, checked(SECTION + "." + name, backend::backend));
        });
        var patterns = allow.orElse(List.of()).stream()
                .map(text -> checked(SECTION + ".allow", () -> EndpointPattern.parse(text)))
                .toList();
        return new BackendRules(backends, patterns);
    }

    private static <T> T checked(String key, Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(key + ": " + wrong.getMessage(), wrong);
        }
    }
}
