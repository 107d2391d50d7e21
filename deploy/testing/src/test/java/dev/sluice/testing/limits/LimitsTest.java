package dev.sluice.testing.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/// A test's own limit wins over its class's, and that over the default.
final class LimitsTest {
    private static final Limits LIMITS = new Limits(Duration.ofSeconds(1), Duration.ofSeconds(2));

    @Timeout(30)
    abstract static class Slow {
        @BeforeAll
        @Timeout(40)
        static void before() {}

        @AfterAll
        static void after() {}

        void inherited() {}

        @Timeout(value = 3, unit = TimeUnit.MINUTES)
        void slower() {}
    }

    static final class Slower extends Slow {
        void own() {}
    }

    static final class Plain {
        void quick() {}
    }

    @Test
    void testHasItsOwnLimitOrItsClasssOrTheDefault() {
        assertThat(ofTest(Slow.class, "slower")).hasMinutes(3);
        assertThat(ofTest(Slow.class, "inherited")).hasSeconds(30);
        assertThat(ofTest(Slower.class, "own")).hasSeconds(30);
        assertThat(ofTest(Plain.class, "quick")).hasSeconds(1);
    }

    @Test
    void longestMethodOfAClassCounts() {
        assertThat(LIMITS.ofLifecycleMethods(ClassSource.from(Slower.class))).hasSeconds(40);
        assertThat(LIMITS.ofLifecycleMethods(ClassSource.from(Plain.class))).hasSeconds(2);
    }

    @Test
    void durationsAreWrittenAsJUnitWritesThem() {
        assertThat(Limits.parsed(Optional.of("120 s"))).hasSeconds(120);
        assertThat(Limits.parsed(Optional.of("30 m"))).hasMinutes(30);
        assertThatThrownBy(() -> Limits.parsed(Optional.empty())).hasMessageContaining("names no");
    }

    private static Duration ofTest(Class<?> type, String method) {
        return LIMITS.ofTest(MethodSource.from(type, declared(type, method)));
    }

    private static java.lang.reflect.Method declared(Class<?> type, String method) {
        try {
            return type.getDeclaredMethod(method);
        } catch (NoSuchMethodException wrong) {
            throw new AssertionError(wrong);
        }
    }
}
