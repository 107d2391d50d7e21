package dev.sluice.testing.limits;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/// Ends the JVM of the tests when one of them takes twice its limit, so that every run ends. JUnit's own limits only
/// interrupt, which an endless loop does not notice. JUnit finds this class by `META-INF/services`.
///
/// What is watched: each test; between two tests the methods that run once for a class; after all tests the end of
/// the JVM. Then the stacks of this JVM and of those it started are written beside Surefire's reports, the processes
/// of the tests are killed, and the JVM halts. Processes and mounts that a class leaves behind end with the class,
/// and those of a JVM that was killed when the next one of that fork begins ([Leftovers]).
public final class TestWatchdog implements TestExecutionListener {
    private static final int TIMES = 2;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    /// After the last test: shutdown hooks stop clusters.
    private static final Duration EXIT = Duration.ofMinutes(2);

    /// @param ends by [System#nanoTime]
    private record Watched(String name, Duration limit, long ends) {
        static Watched of(String name, Duration limit) {
            return new Watched(name, limit, System.nanoTime() + limit.toNanos());
        }
    }

    private final Map<String, Watched> tests = new ConcurrentHashMap<>();
    private final Leftovers leftovers = Leftovers.ofThisFork();
    private volatile Limits limits = new Limits(EXIT, EXIT);
    private volatile Watched between = Watched.of("the start of the tests", EXIT);
    private volatile boolean watching;

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan plan) {
        limits = Limits.of(plan.getConfigurationParameters());
        between = Watched.of("the start of the tests", EXIT);
        if (!watching) {
            watching = true;
            leftovers.endAll("an earlier run");
            Thread.ofPlatform().daemon().name("test-watchdog").start(this::watch);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        between = Watched.of("the end of the JVM after its tests", EXIT);
    }

    @Override
    public void executionStarted(TestIdentifier started) {
        var source = started.getSource();
        if (started.isTest()) {
            var limit = source.map(limits::ofTest).orElse(limits.ofTest()).multipliedBy(TIMES);
            tests.put(started.getUniqueId(), Watched.of(name(started), limit));
        } else {
            leftovers.classBegins(started);
            watchLifecycle(started);
        }
    }

    @Override
    public void executionFinished(TestIdentifier finished, TestExecutionResult result) {
        tests.remove(finished.getUniqueId());
        if (finished.isContainer()) {
            leftovers.classEnded(finished);
        }
        watchLifecycle(finished);
    }

    @Override
    public void executionSkipped(TestIdentifier skipped, String reason) {
        watchLifecycle(skipped);
    }

    private void watchLifecycle(TestIdentifier near) {
        var limit = near.getSource().map(limits::ofLifecycleMethods).orElse(limits.ofLifecycleMethod());
        between = Watched.of("before or after all tests, near " + name(near), limit.multipliedBy(TIMES));
    }

    /// `dev.sluice.X#test`, from a unique id's legacy name and the source.
    private static String name(TestIdentifier identifier) {
        var id = identifier.getUniqueIdObject();
        var type = id.getSegments().stream()
                .filter(segment -> segment.getType().equals("class"))
                .map(segment -> segment.getValue() + "#")
                .findFirst()
                .orElse("");
        return type + identifier.getDisplayName();
    }

    private void watch() {
        while (true) {
            long now = System.nanoTime();
            var late =
                    tests.values().stream().filter(test -> now - test.ends > 0).findFirst();
            if (late.isPresent()) {
                halt(late.get());
            }
            if (tests.isEmpty() && now - between.ends > 0) {
                halt(between);
            }
            try {
                Thread.sleep(BETWEEN_LOOKS);
            } catch (InterruptedException stop) {
                return;
            }
        }
    }

    private void halt(Watched late) {
        try {
            var message = "%s did not end within %d s, twice its limit".formatted(late.name, late.limit.toSeconds());
            Stacks.write(message, leftovers.processes());
            leftovers.endAll("a test that did not end");
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
