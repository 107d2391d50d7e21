package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeyGatesTest {
    private static final ObjectKey KEY = new ObjectKey(1, "a");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final KeyGates gates = new KeyGates();

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // the more threads come in between, the better
    void writesOfAKeyGoOneAtATimeAndThoseOfOthersBesideThem() throws Exception {
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            gates.enter(new ObjectKey(1, "b"), LONG); // another key stops nobody
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < 200; i++) {
                all.add(threads.submit(() -> {
                    gates.enter(KEY, LONG);
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    Thread.yield();
                    inside.decrementAndGet();
                    gates.leave(KEY);
                }));
            }
            for (var each : all) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(most).hasValue(1);
    }

    /// A client that did not wait leaves its write behind.
    @Test
    void gateIsOpenedByAnotherThreadThanThatWhichEntered()
            throws InterruptedException, ExecutionException, TimeoutException {
        gates.enter(KEY, LONG);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var next = threads.submit(() -> gates.enter(KEY, LONG));
            assertThatThrownBy(() -> next.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            threads.submit(() -> gates.leave(KEY)).get(30, TimeUnit.SECONDS);
            next.get(30, TimeUnit.SECONDS);
        }
        gates.leave(KEY);
    }

    @Test
    void whoWaitsTooLongIsRefusedAndTakesNoPlace() {
        gates.enter(KEY, LONG);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> gates.enter(KEY, SHORT)).isInstanceOf(StoreException.Unavailable.class);
        }
        gates.leave(KEY);
        gates.enter(KEY, SHORT);
        gates.leave(KEY);
        assertThatThrownBy(() -> gates.leave(KEY)).as("nothing is kept").isInstanceOf(IllegalStateException.class);
    }

    @Test
    void interruptedWriteIsRefusedAndStaysInterrupted() {
        gates.enter(KEY, LONG);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> gates.enter(KEY, LONG)).isInstanceOf(StoreException.Unavailable.class);
        assertThat(Thread.interrupted()).isTrue();
        gates.leave(KEY);
        gates.enter(KEY, SHORT);
    }
}
