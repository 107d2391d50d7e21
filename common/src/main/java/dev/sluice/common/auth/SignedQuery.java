package dev.sluice.common.auth;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/// A request's query as signatures see it: names and values in canonical encoding, in the order of the URL.
record SignedQuery(List<Parameter> parameters) {
    private static final SignedQuery NONE = new SignedQuery(List.of());

    /// @param assigned false when there was no `=`
    record Parameter(String name, String value, boolean assigned) {}

    static SignedQuery of(String raw) {
        if (raw.isEmpty()) {
            return NONE;
        }
        var parameters = new ArrayList<Parameter>();
        for (int from = 0; from <= raw.length(); ) {
            int and = raw.indexOf('&', from);
            int end = and < 0 ? raw.length() : and;
            int equals = raw.indexOf('=', from);
            boolean assigned = equals >= 0 && equals < end;
            if (end > from) {
                var name = raw.substring(from, assigned ? equals : end);
                var value = assigned ? raw.substring(equals + 1, end) : "";
                parameters.add(new Parameter(
                        UriEncoding.canonicalQueryPart(name), UriEncoding.canonicalQueryPart(value), assigned));
            }
            from = end + 1;
        }
        return new SignedQuery(List.copyOf(parameters));
    }

    boolean has(String name) {
        return value(name).isPresent();
    }

    /// The decoded value.
    Optional<String> value(String name) {
        for (var parameter : parameters) {
            if (parameter.name().equals(name)) {
                return Optional.of(UriEncoding.decoded(parameter.value()));
            }
        }
        return Optional.empty();
    }

    /// A name given twice means one thing to the signature and maybe another to the parser: never let in.
    void refuseDuplicates(Supplier<? extends RuntimeException> refusal) {
        var seen = new HashSet<String>();
        for (var parameter : parameters) {
            if (!seen.add(parameter.name().toLowerCase(Locale.ROOT))) {
                throw refusal.get();
            }
        }
    }

    /// The canonical query of SigV4, without the parameter that holds the signature itself.
    void appendCanonical(StringBuilder out) {
        if (parameters.isEmpty()) {
            return;
        }
        var sorted = new ArrayList<>(parameters);
        sorted.sort(Comparator.comparing(Parameter::name).thenComparing(Parameter::value));
        boolean first = true;
        for (var parameter : sorted) {
            if (parameter.name().equals("X-Amz-Signature")) {
                continue;
            }
            if (!first) {
                out.append('&');
            }
            out.append(parameter.name()).append('=').append(parameter.value());
            first = false;
        }
    }
}
