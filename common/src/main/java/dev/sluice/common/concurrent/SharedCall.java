package dev.sluice.common.concurrent;

import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A call that many make at the same time: one runs at a time, and all who come while it runs share the next. So the
/// outcome that somebody gets is always of a call that began after they came.
///
/// It runs on a thread of its own, since it is nobody's: each waits for it as long as their [Deadline] lets them.
public final class SharedCall<T> {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Supplier<T> call;
    private boolean running;
    private Optional<CompletableFuture<T>> next = Optional.empty();

    public SharedCall(Supplier<T> call) {
        this.call = call;
    }

    /// Blocks.
    ///
    /// @throws RuntimeException what the call failed with
    /// @throws StoreException.Unavailable when the caller's time is over before
    public T get() {
        return Await.within(Deadline.atMost(LONGEST), mine())
                .orElseThrow(() -> new StoreException.Unavailable("the controllers did not answer in time"));
    }

    private synchronized CompletableFuture<T> mine() {
        var mine = next.orElseGet(CompletableFuture::new);
        next = Optional.of(mine);
        if (!running) {
            running = true;
            Thread.ofVirtual().name("shared call").start(this::run);
        }
        return mine;
    }

    /// Until nobody waits.
    private void run() {
        for (var asked = taken(); asked.isPresent(); asked = taken()) {
            try {
                asked.get().complete(call.get());
            } catch (Throwable failure) {
                asked.get().completeExceptionally(failure);
            }
        }
    }

    private synchronized Optional<CompletableFuture<T>> taken() {
        var asked = next;
        next = Optional.empty();
        running = asked.isPresent();
        return asked;
    }
}
