package dev.sluice.common.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AwaitTest {
    private static final Duration SOON = Duration.ofMillis(1);

    @Test
    void uncheckedFailuresComeAsTheyAre() {
        var why = new StoreException.NoSuchUpload("u");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var failed = threads.submit(() -> {
                throw why;
            });
            assertThatThrownBy(() -> Await.of(failed)).isSameAs(why);
        }
        var stage = CompletableFuture.failedFuture(why).thenApply(same -> same);
        assertThatThrownBy(() -> Await.of(stage)).isSameAs(why);
        assertThatThrownBy(() -> Await.whole(stage)).isSameAs(why);
        assertThatThrownBy(() -> Await.within(SOON, stage)).isSameAs(why);
        assertThatThrownBy(() -> Await.whole(CompletableFuture.failedFuture(new StackOverflowError())))
                .isInstanceOf(StackOverflowError.class);
    }

    @Test
    void checkedFailuresComeWrappedUnlessTheyAreAskedFor() {
        var why = new IOException("broken");
        var stage = CompletableFuture.failedFuture(why).thenApply(same -> same);
        assertThatThrownBy(() -> Await.whole(stage))
                .isInstanceOf(CompletionException.class)
                .hasCause(why);
        assertThatThrownBy(() -> Await.io(stage)).isSameAs(why);
    }

    @Test
    void nothingIsReturnedWhenTheTimeIsOver() {
        var late = new CompletableFuture<String>();
        assertThat(Await.within(SOON, late)).isEmpty();
        late.complete("a");
        assertThat(Await.within(SOON, late)).contains("a");
    }

    @Test
    void whoIsInterruptedStaysSo() {
        var never = new CompletableFuture<String>();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Await.of(never)).isInstanceOf(StoreException.Unavailable.class);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThatThrownBy(() -> Await.within(Duration.ofSeconds(9), never))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(Await.whole(CompletableFuture.completedFuture("a"))).isEqualTo("a");
        assertThat(Thread.interrupted()).isTrue();
    }
}
