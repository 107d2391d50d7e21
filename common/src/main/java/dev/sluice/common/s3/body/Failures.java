package dev.sluice.common.s3.body;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Keeps a body that failed from ever looking like one that ended well: its first exception comes back at every call.
final class Failures {
    private Optional<RuntimeException> refused = Optional.empty();
    private Optional<IOException> broken = Optional.empty();

    @FunctionalInterface
    interface Step {
        ByteBuffer take() throws IOException;
    }

    ByteBuffer remembering(Step step) throws IOException {
        if (refused.isPresent()) {
            throw refused.get();
        }
        if (broken.isPresent()) {
            throw broken.get();
        }
        try {
            return step.take();
        } catch (IOException e) {
            broken = Optional.of(e);
            throw e;
        } catch (RuntimeException e) {
            refused = Optional.of(e);
            throw e;
        }
    }
}
