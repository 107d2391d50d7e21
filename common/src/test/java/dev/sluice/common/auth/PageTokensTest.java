package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PageTokensTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Identity WHO = new Identity.User("AKIA");

    private final PageTokens tokens = new PageTokens(key("the key of the cluster"));

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void linkEndsAfterTwelveHours() {
        var token = tokens.issue(WHO, NOW);
        assertThat(tokens.verify(token, NOW)).isEqualTo(new TokenVerdict.Granted(WHO, 0));
        var end = NOW.plus(Duration.ofHours(12));
        assertThat(tokens.verify(token, end)).isInstanceOf(TokenVerdict.Granted.class);
        assertThat(tokens.verify(token, end.plusMillis(1))).isInstanceOf(TokenVerdict.Expired.class);
    }

    @Test
    void othersTokensOpenNoPage() {
        var request = new RedirectTokens.Request("GET", "", "", "");
        var redirect = new RedirectTokens(key("the key of the cluster")).issue(request, WHO, 0, NOW);
        var foreign = new PageTokens(key("the key of another one")).issue(WHO, NOW);
        for (var token : new String[] {"", "x", redirect, foreign, tokens.issue(WHO, NOW) + "A"}) {
            assertThat(tokens.verify(token, NOW)).as(token).isInstanceOf(TokenVerdict.Forged.class);
        }
    }
}
