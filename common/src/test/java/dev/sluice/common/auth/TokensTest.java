package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static final byte[] KEY = "a cluster's secret".getBytes(StandardCharsets.UTF_8);
    private static final Instant NOW = Instant.parse("2026-11-05T12:00:00Z");
    private static final Identity WHO = new Identity.User("AKIA/ü");
    private static final TokenVerdict FORGED = new TokenVerdict.Forged();

    private final RedirectTokens tokens = new RedirectTokens(KEY);

    private static RedirectTokens.Request request(String method, String bucket, String key) {
        return new RedirectTokens.Request(method, bucket, key, "");
    }

    @Test
    void aTokenIsForOneAnswer() {
        var asked = new RedirectTokens.Request("GET", "bucket", "key", "response-expires=0");
        var token = tokens.issue(asked, WHO, 1, NOW);
        assertThat(tokens.verify(token, asked, NOW)).isEqualTo(new TokenVerdict.Granted(WHO, 1));
        assertThat(tokens.verify(token, request("GET", "bucket", "key"), NOW)).isEqualTo(FORGED);
        var plain = tokens.issue(request("GET", "bucket", "key"), WHO, 1, NOW);
        assertThat(tokens.verify(plain, asked, NOW)).isEqualTo(FORGED);
    }

    @Test
    void aTokenGrantsExactlyItsRequestForAMinute() {
        var token = tokens.issue(request("GET", "bucket", "a/ü"), WHO, 7L << 40, NOW);
        assertThat(token).matches("[A-Za-z0-9_-]+");
        var granted = new TokenVerdict.Granted(WHO, 7L << 40);
        assertThat(tokens.verify(token, request("GET", "bucket", "a/ü"), NOW.plusSeconds(60)))
                .isEqualTo(granted);
        assertThat(tokens.verify(token, request("GET", "bucket", "a/ü"), NOW.plusSeconds(61)))
                .isEqualTo(new TokenVerdict.Expired());
        assertThat(tokens.verify(token, request("PUT", "bucket", "a/ü"), NOW)).isEqualTo(FORGED);
        assertThat(tokens.verify(token, request("GET", "bucket2", "a/ü"), NOW)).isEqualTo(FORGED);
        assertThat(tokens.verify(token, request("GET", "bucket", "a/u"), NOW)).isEqualTo(FORGED);
        assertThat(tokens.verify(token, request("GET", "bucketa", "/ü"), NOW)).isEqualTo(FORGED);
        var other = new RedirectTokens("another's secret".getBytes(StandardCharsets.UTF_8));
        assertThat(other.verify(token, request("GET", "bucket", "a/ü"), NOW)).isEqualTo(FORGED);
    }

    @Test
    void noCharacterOfATokenCanBeChangedAddedOrLeftOut() {
        var token = tokens.issue(request("GET", "bucket", "key"), WHO, 1, NOW);
        for (int i = 0; i < token.length(); i++) {
            for (char c : "A-_9z=%".toCharArray()) {
                var changed = token.substring(0, i) + c + token.substring(i + 1);
                if (!changed.equals(token)) {
                    assertThat(tokens.verify(changed, request("GET", "bucket", "key"), NOW))
                            .as(changed)
                            .isEqualTo(FORGED);
                }
            }
            assertThat(tokens.verify(token.substring(0, i), request("GET", "bucket", "key"), NOW))
                    .isEqualTo(FORGED);
        }
        assertThat(tokens.verify(token + "A", request("GET", "bucket", "key"), NOW))
                .isEqualTo(FORGED);
        assertThat(tokens.verify(token + "=", request("GET", "bucket", "key"), NOW))
                .isEqualTo(FORGED);
        assertThat(tokens.verify("A".repeat(100_000), request("GET", "bucket", "key"), NOW))
                .isEqualTo(FORGED);
    }

    @Test
    void nodesProveThemselvesForOneCall() {
        var nodes = new NodeTokens(KEY);
        var request = new NodeTokens.Request("target002", "PUT", "/v1/x?y=z", "aa");
        var token = nodes.issue("target001", request, NOW);
        assertThat(nodes.verify(token, request, NOW))
                .isEqualTo(new TokenVerdict.Granted(new Identity.Node("target001"), 0));
        for (var other : List.of(
                new NodeTokens.Request("target003", "PUT", "/v1/x?y=z", "aa"),
                new NodeTokens.Request("target002", "POST", "/v1/x?y=z", "aa"),
                new NodeTokens.Request("target002", "PUT", "/v1/x", "aa"),
                new NodeTokens.Request("target002", "PUT", "/v1/x?y=zz", "aa"),
                new NodeTokens.Request("target002", "PUT", "/v1/x?y=z", "ab"))) {
            assertThat(nodes.verify(token, other, NOW)).as(other.toString()).isEqualTo(FORGED);
        }
        assertThat(nodes.verify(token, request, NOW.plusSeconds(61))).isEqualTo(new TokenVerdict.Expired());
    }

    @Test
    void aTokenOfOneKindIsNoneOfTheOther() {
        var redirect = tokens.issue(request("GET", "bucket", "key"), new Identity.Node("target001"), 0, NOW);
        var request = new NodeTokens.Request("GET", "bucket", "key", "");
        assertThat(new NodeTokens(KEY).verify(redirect, request, NOW)).isEqualTo(FORGED);
    }

    @Test
    void everyIdentitySurvivesItsText() {
        for (var identity :
                new Identity[] {WHO, new Identity.Node("target001"), new Identity.Anonymous(), new Identity.Anyone()}) {
            assertThat(Identity.ofText(identity.text())).contains(identity);
        }
        assertThat(Identity.ofText("root")).isEmpty();
    }

    @Test
    void aShortClusterKeyIsRefused() {
        assertThatThrownBy(() -> new RedirectTokens(new byte[8])).isInstanceOf(IllegalArgumentException.class);
    }
}
