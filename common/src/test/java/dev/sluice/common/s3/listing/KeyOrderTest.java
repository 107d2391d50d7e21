package dev.sluice.common.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
    private static final long SEED = 20261121;
    private static final int[] POINTS = {
        0, 1, '/', 'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF
    };

    @Test
    void keysAreOrderedByTheBytesOfTheirUtf8() {
        var random = new Random(SEED);
        for (int i = 0; i < 50_000; i++) {
            var left = key(random);
            var right = key(random);
            int expected = Arrays.compareUnsigned(
                    left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
            assertThat(Integer.signum(KeyOrder.INSTANCE.compare(left, right)))
                    .as("seed %d, '%s' and '%s'", SEED, left, right)
                    .isEqualTo(Integer.signum(expected));
        }
    }

    @Test
    void theStringPastAPrefixIsGreaterThanAllThatBeginWithItAndNotGreaterThanAnythingElseBehind() {
        var random = new Random(SEED);
        for (int i = 0; i < 50_000; i++) {
            var prefix = key(random);
            var other = random.nextBoolean() ? prefix + key(random) : key(random);
            boolean behind = KeyOrder.INSTANCE.compare(other, prefix) > 0 && !other.startsWith(prefix);
            var past = KeyOrder.pastPrefix(prefix);
            assertThat(past.isPresent() && KeyOrder.INSTANCE.compare(other, past.get()) >= 0)
                    .as("seed %d, prefix '%s', key '%s'", SEED, prefix, other)
                    .isEqualTo(behind);
        }
    }

    @Test
    void nothingLiesPastThePrefixOfEverything() {
        assertThat(KeyOrder.pastPrefix("")).isEmpty();
        assertThat(KeyOrder.pastPrefix(Character.toString(0x10FFFF))).isEmpty();
        assertThat(KeyOrder.pastPrefix("a" + Character.toString(0x10FFFF))).contains("b");
    }

    private static String key(Random random) {
        var key = new StringBuilder();
        for (int length = random.nextInt(4); length > 0; length--) {
            key.appendCodePoint(POINTS[random.nextInt(POINTS.length)]);
        }
        return key.toString();
    }
}
