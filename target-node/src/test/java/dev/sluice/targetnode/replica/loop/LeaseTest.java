package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final long MILLI = 1_000_000;

    private final AtomicLong now = new AtomicLong(5000 * MILLI);
    private final Lease lease = new Lease(now::get);

    @Test
    void thereIsNoLeaseBeforeAPromise() {
        lease.applied(7);
        assertThat(lease.held()).isFalse();
    }

    @Test
    void promiseLastsASecondFromTheSendingOfItsBeat() {
        lease.applied(7);
        long sent = now.get();
        now.addAndGet(400 * MILLI); // the answer takes its time
        lease.promised(sent, 7);
        assertThat(lease.held()).isTrue();
        now.set(sent + 1000 * MILLI - 1);
        assertThat(lease.held()).isTrue();
        now.set(sent + 1000 * MILLI);
        assertThat(lease.held()).isFalse();
    }

    @Test
    void promiseCountsOnceItsVersionIsApplied() {
        lease.applied(7);
        long sent = now.get();
        lease.promised(sent, 9);
        assertThat(lease.held()).isFalse();
        lease.applied(8);
        assertThat(lease.held()).isFalse();
        now.addAndGet(300 * MILLI);
        lease.applied(10);
        assertThat(lease.held()).isTrue();
        now.set(sent + 1000 * MILLI);
        assertThat(lease.held())
                .as("a second from the sending, not from the applying")
                .isFalse();
    }

    @Test
    void promiseWhoseVersionIsAppliedTooLateIsWorthNothing() {
        lease.promised(now.get(), 9);
        now.addAndGet(1000 * MILLI);
        lease.applied(9);
        assertThat(lease.held()).isFalse();
    }

    @Test
    void laterAnswerToAnEarlierBeatShortensNothing() {
        lease.applied(7);
        long sent = now.get();
        lease.promised(sent, 7);
        lease.promised(sent - 500 * MILLI, 7);
        now.set(sent + 999 * MILLI);
        assertThat(lease.held()).isTrue();
    }

    /// The pending promises are bounded: the newest ones stay.
    @Test
    void newestPromisesAreKeptWhileNothingIsApplied() {
        for (int beat = 0; beat < 100; beat++) {
            lease.promised(now.get(), 9);
            now.addAndGet(250 * MILLI);
        }
        lease.applied(9);
        assertThat(lease.held()).isTrue();
    }

    @Test
    void leaseEndsWithWhatWasPending() {
        lease.applied(7);
        lease.promised(now.get(), 7);
        lease.promised(now.get(), 9);
        lease.end();
        assertThat(lease.held()).isFalse();
        lease.applied(9);
        assertThat(lease.held()).isFalse();
    }
}
