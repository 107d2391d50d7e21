package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.memory.Faults;
import dev.sluice.backend.memory.MemoryBackend;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MemoryBackendTest extends BackendContract {
    @Override
    MemoryBackend openEmpty(MeterRegistry registry) {
        return new MemoryBackend(BackendAddress.parse("s3://memory"), SETTINGS, registry);
    }

    @Override
    Backend openMissing() {
        var missing = openEmpty(new SimpleMeterRegistry());
        missing.destroy();
        return missing;
    }

    private MemoryBackend memory() {
        return (MemoryBackend) backend();
    }

    @Test
    void aBreakInTheMiddleIsAnErrorAtTheReader() throws IOException {
        put("a", new byte[1000]);
        memory().faults(Faults.NONE.breakAfter(600));
        try (var stream = backend().get("a", BackendRead.WHOLE)) {
            assertThatThrownBy(() -> Bytes.discard(stream.body())).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aLieIsDetectedWithAndWithoutAChecksum() throws IOException {
        var bytes = utf8("123456789");
        backend().put("crc", bytes.length, Bytes.source(bytes), promising("4waSgw=="), WriteCondition.NONE);
        put("md5", bytes);
        memory().faults(Faults.NONE.corrupt(true));
        for (var key : new String[] {"crc", "md5"}) {
            try (var stream = backend().get(key, BackendRead.WHOLE);
                    var verified = BackendChecks.of(stream.object()).verifying(stream.body(), Runnable::run)) {
                assertThatThrownBy(() -> Bytes.discard(verified)).isInstanceOf(BackendMismatch.class);
            }
        }
    }

    @Test
    void requestsAreCountedAndRepeatedOnlyWhereSafe() {
        put("a", utf8("x"));
        assertThat(memory().requests("put")).isEqualTo(1);
        memory().faults(Faults.NONE.unavailable(true));
        assertThatThrownBy(() -> backend().head("a")).isInstanceOf(StoreException.BackendUnavailable.class);
        assertThat(memory().requests("head")).isEqualTo(SETTINGS.attempts());
    }

    /// The first one may be carried out after the second.
    @Test
    void writeNotesThatAnAttemptBrokeOffBeforeTheOneThatEndedWell() {
        var calls = new BackendCalls(
                memory().address(),
                SETTINGS,
                new SimpleMeterRegistry(),
                (thrown, key) ->
                        BackendFailure.passing(new StoreException.BackendUnavailable(key + " broke off", thrown)));
        var attempts = new BackendCalls.Attempts();
        assertThat(attempts.during(() -> calls.run("delete", "a", () -> "done")))
                .isEqualTo("done");
        assertThat(attempts.lost()).isFalse();
        var first = new AtomicBoolean(true);
        var result = attempts.during(() -> calls.run("delete", "a", () -> {
            if (first.compareAndSet(true, false)) {
                throw new IllegalStateException("connection reset");
            }
            return "done";
        }));
        assertThat(result).isEqualTo("done");
        assertThat(attempts.lost()).isTrue();
    }
}
