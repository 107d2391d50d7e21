package dev.sluice.targetnode.storage.drive;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What speaks against a drive. Only remembered and told here; who takes drives out asks for it.
public final class Suspicion {
    private static final Logger LOG = LoggerFactory.getLogger(Suspicion.class);

    private final String drive;
    private final AtomicLong errors = new AtomicLong();
    private volatile Optional<String> latest = Optional.empty();

    Suspicion(String drive) {
        this.drive = drive;
    }

    void add(String during, Throwable failure) {
        errors.incrementAndGet();
        latest = Optional.of(during + ": " + failure);
        LOG.error("drive {} failed during {}", drive, during, failure);
    }

    public long errors() {
        return errors.get();
    }

    public Optional<String> latest() {
        return latest;
    }
}
