package dev.sluice.testing.limits.stuck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// Waits again when it is interrupted.
final class IgnoredInterrupt {
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void waitsOn() {
        boolean released = false;
        while (!released) {
            released = waited();
        }
        assertThat(released).isTrue();
    }

    private boolean waited() {
        try {
            never.await();
            return true;
        } catch (InterruptedException again) {
            return false;
        }
    }
}
