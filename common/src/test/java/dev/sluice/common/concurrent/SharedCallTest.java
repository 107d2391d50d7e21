package dev.sluice.common.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedCallTest {
    @Test
    void whoComesDuringACallSharesTheNext() throws Exception {
        var calls = new AtomicInteger();
        var begun = new CountDownLatch(1);
        var goesOn = new CompletableFuture<Void>();
        var shared = new SharedCall<>(() -> {
            int number = calls.incrementAndGet();
            begun.countDown();
            goesOn.join();
            return number;
        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(shared::get);
            begun.await();
            var coming = new CountDownLatch(100);
            var late = IntStream.range(0, 100)
                    .mapToObj(_ -> threads.submit(() -> {
                        coming.countDown();
                        return shared.get();
                    }))
                    .toList();
            coming.await();
            goesOn.complete(null);
            assertThat(first.get()).isEqualTo(1);
            for (var each : late) {
                assertThat(each.get(20, TimeUnit.SECONDS)).isGreaterThan(1);
            }
            assertThat(calls.get()).as("calls for 101 who came").isLessThan(20);
        }
    }

    @Test
    void theOutcomeIsOfACallThatBeganLater() throws Exception {
        var clock = new AtomicInteger();
        var shared = new SharedCall<>(clock::get);
        try (var threads = Executors.newFixedThreadPool(8)) {
            var all = IntStream.range(0, 8)
                    .mapToObj(_ -> threads.submit(() -> {
                        for (int i = 0; i < 20_000; i++) {
                            int before = clock.incrementAndGet();
                            assertThat(shared.get()).isGreaterThanOrEqualTo(before);
                        }
                        return true;
                    }))
                    .toList();
            for (var each : all) {
                assertThat(each.get()).isTrue();
            }
        }
    }

    @Test
    void whoeverHasLittleTimeLeavesAndTheCallGoesOnForTheOthers() throws Exception {
        var begun = new CountDownLatch(1);
        var goesOn = new CompletableFuture<Duration>();
        var shared = new SharedCall<>(() -> {
            begun.countDown();
            var limit = Deadline.atMost(Duration.ofDays(1));
            goesOn.join();
            return limit;
        });
        var hurried = Deadline.in(Duration.ofMillis(50));
        assertThatThrownBy(() -> hurried.call(shared::get)).isInstanceOf(StoreException.Unavailable.class);
        begun.await();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var patient = threads.submit(shared::get);
            assertThatThrownBy(() -> hurried.call(shared::get)).isInstanceOf(StoreException.Unavailable.class);
            goesOn.complete(Duration.ZERO);
            assertThat(patient.get()).as("no deadline of a caller").isEqualTo(Duration.ofDays(1));
        }
    }

    @Test
    void aFailureIsSharedAndNotRemembered() {
        var calls = new AtomicInteger();
        var shared = new SharedCall<>(() -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("down");
            }
            return calls.get();
        });
        assertThatThrownBy(shared::get).hasMessage("down");
        assertThat(shared.get()).isEqualTo(2);
    }
}
