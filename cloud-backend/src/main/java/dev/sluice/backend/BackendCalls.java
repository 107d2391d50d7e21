package dev.sluice.backend;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/// How every request to a cloud is made: within the budget, repeated where that is safe, counted, and with the client's
/// exceptions turned into [StoreException]s. The clouds' own clients are told not to repeat anything.
public final class BackendCalls {
    private final BackendSettings settings;
    private final BackendBudget budget;
    private final BackendMeters meters;
    private final BiFunction<RuntimeException, String, BackendFailure> explain;

    /// @param explain turns what the cloud's client threw for a key (or prefix) into its meaning
    public BackendCalls(
            BackendAddress address,
            BackendSettings settings,
            MeterRegistry registry,
            BiFunction<RuntimeException, String, BackendFailure> explain) {
        this.settings = settings;
        this.budget = new BackendBudget(settings);
        this.meters = new BackendMeters(registry, address, budget);
        this.explain = explain;
    }

    /// Notes whether an attempt of a write broke off and another one followed: the cloud may still carry out the first
    /// one, upon what is written later.
    public static final class Attempts {
        private static final ScopedValue<Attempts> CURRENT = ScopedValue.newInstance();

        private volatile boolean lost;

        /// Makes a call, on this thread, and notes what happens in it.
        public <T> T during(Supplier<T> call) {
            return ScopedValue.where(CURRENT, this).call(call::get);
        }

        public boolean lost() {
            return lost;
        }

        /// An attempt of the call of this thread broke off.
        public static void noteLost() {
            if (CURRENT.isBound()) {
                CURRENT.get().lost = true;
            }
        }
    }

    /// A request that is over when it returns, and may be made twice.
    public <T> T run(String operation, String key, Supplier<T> request) {
        return run(operation, key, () -> true, request);
    }

    /// A request that is over when it returns.
    ///
    /// @param mayRepeat asked after a failed attempt
    public <T> T run(String operation, String key, BooleanSupplier mayRepeat, Supplier<T> request) {
        var lease = budget.acquire();
        try {
            return attempt(operation, key, mayRepeat, request);
        } finally {
            lease.release();
        }
    }

    /// A request whose answer goes on after it returns: the lease it is given must be released by the stream's close.
    public <T> T open(String operation, String key, Function<BackendBudget.Lease, T> request) {
        var lease = budget.acquire();
        try {
            return attempt(operation, key, () -> true, () -> request.apply(lease));
        } catch (RuntimeException e) {
            lease.release();
            throw e;
        }
    }

    /// Of connections: see [dev.sluice.common.http.FileSource#shortage].
    public double shortage() {
        return budget.shortage();
    }

    public void received(long bytes) {
        meters.received(bytes);
    }

    public void sent(long bytes) {
        meters.sent(bytes);
    }

    private <T> T attempt(String operation, String key, BooleanSupplier mayRepeat, Supplier<T> request) {
        for (int attempt = 1; ; attempt++) {
            long start = System.nanoTime();
            try {
                var answer = request.get();
                meters.request(operation, "ok", since(start));
                budget.succeeded();
                return answer;
            } catch (RuntimeException e) {
                var failure = explain.apply(e, key);
                meters.request(operation, failure.meaning().getClass().getSimpleName(), since(start));
                if (failure.kind() != BackendFailure.Kind.FINAL) {
                    Attempts.noteLost();
                }
                boolean last = attempt == settings.attempts() || !mayRepeat.getAsBoolean();
                switch (failure.kind()) {
                    case FINAL -> throw failure.meaning();
                    case PASSING -> {
                        if (last) {
                            throw failure.meaning();
                        }
                        budget.pauseBefore(attempt);
                    }
                    case THROTTLED -> {
                        meters.throttled();
                        budget.throttled(failure.retryAfter().orElse(Duration.ZERO));
                        if (last) {
                            throw failure.meaning();
                        }
                        budget.pauseBefore(attempt);
                    }
                }
            }
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
