package dev.sluice.testing.limits;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/// The limits that JUnit enforces by interrupts: a test's own, its class's, or the default of the build.
record Limits(Duration ofTest, Duration ofLifecycleMethod) {
    private static final String PREFIX = "junit.jupiter.execution.timeout.";

    static Limits of(ConfigurationParameters parameters) {
        return new Limits(
                parsed(parameters.get(PREFIX + "testable.method.default")),
                parsed(parameters.get(PREFIX + "lifecycle.method.default")));
    }

    /// As JUnit writes durations: `120 s`, `30 m`.
    static Duration parsed(Optional<String> text) {
        return text.map(value -> Duration.parse("PT" + value.replace(" ", "").toUpperCase(Locale.ROOT)))
                .orElseThrow(() -> new IllegalStateException("the build names no " + PREFIX + "…default"));
    }

    /// @param source a method
    Duration ofTest(TestSource source) {
        if (!(source instanceof MethodSource method)) {
            return ofTest;
        }
        return Stream.concat(Stream.of(method.getJavaMethod()), enclosing(method.getJavaClass()))
                .flatMap(Limits::named)
                .findFirst()
                .orElse(ofTest);
    }

    /// The longest that one of the methods may take that run once for a class.
    Duration ofLifecycleMethods(TestSource source) {
        if (!(source instanceof ClassSource type)) {
            return ofLifecycleMethod;
        }
        return enclosing(type.getJavaClass())
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .filter(Limits::runsOnce)
                .flatMap(Limits::named)
                .reduce(ofLifecycleMethod, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    private static boolean runsOnce(Method method) {
        return method.isAnnotationPresent(BeforeAll.class) || method.isAnnotationPresent(AfterAll.class);
    }

    /// The class itself, the ones above it, and those around it.
    private static Stream<Class<?>> enclosing(Class<?> type) {
        return Stream.<Class<?>>iterate(
                        type,
                        each -> each != null,
                        each -> each.getSuperclass() == Object.class || each.getSuperclass() == null
                                ? each.getEnclosingClass()
                                : each.getSuperclass())
                .map(each -> each);
    }

    private static Stream<Duration> named(AnnotatedElement element) {
        return Stream.ofNullable(element.getAnnotation(Timeout.class))
                .map(limit -> Duration.of(limit.value(), limit.unit().toChronoUnit()));
    }
}
