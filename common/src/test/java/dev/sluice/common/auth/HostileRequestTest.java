package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Requests with something changed at random are refused with an S3 error, or mean what they meant before; nothing else
/// comes out.
class HostileRequestTest {
    private static final long SEED = 4_711;
    private static final String ODD = "\0 \t%/=&;,:+\"'*~<>\u00e9\u00ff\ud83d\u6f22AZaz09-_.";

    @Test
    void changedRequestsEndInAnS3Error() {
        var random = new Random(SEED);
        var vectors = SignatureVectors.all();
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            var vector = vectors.get(random.nextInt(vectors.size()));
            var head = changed(random, vector.head());
            try {
                assertThat(vector.authenticate(head).identity()).isInstanceOf(Identity.class);
            } catch (S3Failure failure) {
                assertThat(failure.error().status()).isIn(400, 403, 501);
                refused++;
            } catch (RuntimeException e) {
                fail("seed %d, round %d: %s".formatted(SEED, round, head), e);
            }
        }
        assertThat(refused).as("most changes matter").isGreaterThan(2_500);
    }

    /// Only white space between its fields is free.
    @Test
    void noChangeOfTheAuthorizationIsBelieved() {
        var random = new Random(SEED);
        for (var vector : SignatureVectors.of("v4-header")) {
            var authorization = vector.head().headers().first("Authorization").orElseThrow();
            for (int round = 0; round < 50; round++) {
                var other = changed(random, authorization);
                boolean believed;
                try {
                    believed = vector.authenticate(vector.replacing("Authorization", other))
                            .identity()
                            .trusted();
                } catch (S3Failure refusal) {
                    believed = false;
                }
                assertThat(believed && !withoutSpace(other).equals(withoutSpace(authorization)))
                        .as("seed %d: %s", SEED, other)
                        .isFalse();
            }
        }
    }

    private static String withoutSpace(String text) {
        return text.replace(" ", "").replace("\t", "");
    }

    private static RequestHead changed(Random random, RequestHead head) {
        var query = head.query();
        var path = head.path();
        var headers = head.headers();
        switch (random.nextInt(4)) {
            case 0 -> path = changed(random, path);
            case 1 -> query = changed(random, query);
            default -> headers = changed(random, headers);
        }
        return SignatureVectors.head(head.method(), path, query, headers);
    }

    private static Headers changed(Random random, Headers headers) {
        var builder = Headers.builder();
        headers.forEach((name, value) -> {
            switch (random.nextInt(8)) {
                case 0 -> builder.add(changed(random, name), value);
                case 1 -> builder.add(name, changed(random, value));
                case 2 -> builder.add(name, value).add(name, value);
                default -> builder.add(name, value);
            }
        });
        return builder.build();
    }

    private static String changed(Random random, String text) {
        int at = random.nextInt(text.length() + 1);
        var odd = ODD.charAt(random.nextInt(ODD.length()));
        return switch (random.nextInt(3)) {
            case 0 -> text.substring(0, at) + odd + text.substring(at);
            case 1 -> text.substring(0, at);
            default -> at < text.length() ? text.substring(0, at) + odd + text.substring(at + 1) : text + odd;
        };
    }
}
