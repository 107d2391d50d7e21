package dev.sluice.common.s3.config;

import dev.sluice.common.http.Headers;
import java.util.List;
import java.util.Optional;

/// Who may send which requests from web pages of other origins, and what their scripts may see of the answers.
///
/// @param origins patterns with at most one `*`, which stands for any characters; compared with case, as S3 does
/// @param headers patterns of the headers that a request may have; compared without case
/// @param exposed the headers of an answer that scripts may read
/// @param maxAge seconds for which a browser may keep what a preflight was answered
public record CorsRule(
        Optional<String> id,
        List<String> origins,
        List<String> methods,
        List<String> headers,
        List<String> exposed,
        Optional<Integer> maxAge) {
    public CorsRule {
        origins = List.copyOf(origins);
        methods = List.copyOf(methods);
        headers = List.copyOf(headers);
        exposed = List.copyOf(exposed);
    }

    boolean allows(String origin, String method) {
        return methods.contains(method) && pattern(origin).isPresent();
    }

    boolean allowsHeader(String header) {
        return headers.stream().anyMatch(pattern -> matches(pattern, header, true));
    }

    /// What an answer to this origin says. Credentials are for origins that are named, wholly or in part.
    Headers.Builder answer(String origin) {
        var answer = Headers.builder();
        if (pattern(origin).orElseThrow().equals("*")) {
            answer.add("Access-Control-Allow-Origin", "*");
        } else {
            answer.add("Access-Control-Allow-Origin", origin).add("Access-Control-Allow-Credentials", "true");
        }
        answer.add("Access-Control-Allow-Methods", String.join(", ", methods));
        if (!exposed.isEmpty()) {
            answer.add("Access-Control-Expose-Headers", String.join(", ", exposed));
        }
        maxAge.ifPresent(seconds -> answer.add("Access-Control-Max-Age", seconds.toString()));
        return answer.add("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
    }

    /// The first that matches.
    private Optional<String> pattern(String origin) {
        return origins.stream()
                .filter(pattern -> matches(pattern, origin, false))
                .findFirst();
    }

    private static boolean matches(String pattern, String text, boolean ignoreCase) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return text.length() == pattern.length() && text.regionMatches(ignoreCase, 0, pattern, 0, text.length());
        }
        int after = pattern.length() - star - 1;
        return text.length() >= star + after
                && text.regionMatches(ignoreCase, 0, pattern, 0, star)
                && text.regionMatches(ignoreCase, text.length() - after, pattern, star + 1, after);
    }
}
