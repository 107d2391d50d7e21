package dev.sluice.common.s3.config;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Failure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A bucket's CORSConfiguration: of the rules that allow a request the first one holds.
public record CorsRules(List<CorsRule> rules) {
    /// Of a bucket without a configuration: nothing is allowed.
    public static final CorsRules NONE = new CorsRules(List.of());

    public CorsRules {
        rules = List.copyOf(rules);
    }

    /// @throws S3Failure when S3 would refuse the document
    public static CorsRules parse(byte[] xml) {
        return new CorsRules(CorsXml.read(xml));
    }

    /// Whether a rule can allow it.
    public static boolean isMethod(String method) {
        return CorsXml.METHODS.contains(method);
    }

    /// The document that says the same, as S3 writes it: parsed, it gives equal rules.
    public String xml() {
        return CorsXml.write(rules);
    }

    /// What the answer to a request says besides, if its origin may send it. Empty does not mean refused: the browser
    /// keeps the answer from the script.
    public Optional<Headers> actual(String origin, String method) {
        return rules.stream()
                .filter(rule -> rule.allows(origin, method))
                .findFirst()
                .map(rule -> rule.answer(origin).build());
    }

    /// What a browser is answered that asks first (OPTIONS), if its request is allowed.
    ///
    /// @param method that it will use, Access-Control-Request-Method
    /// @param requestHeaders that it will send, one name each, of Access-Control-Request-Headers
    public Optional<Headers> preflight(String origin, String method, List<String> requestHeaders) {
        var names = requestHeaders.stream()
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .toList();
        return rules.stream()
                .filter(rule -> rule.allows(origin, method) && names.stream().allMatch(rule::allowsHeader))
                .findFirst()
                .map(rule -> {
                    var answer = rule.answer(origin);
                    if (!names.isEmpty()) {
                        answer.add("Access-Control-Allow-Headers", String.join(", ", names));
                    }
                    return answer.build();
                });
    }
}
