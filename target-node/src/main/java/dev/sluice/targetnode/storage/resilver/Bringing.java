package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has keys of one drive brought to where they belong: some at a time, so that small ones share group commits, but few
/// large ones; not faster than the rate, and not while requests wait for one of the drives concerned.
final class Bringing {
    private static final Logger LOG = LoggerFactory.getLogger(Bringing.class);
    private static final int LANES = 16;
    /// For each so many bytes an object takes one lane more, up to half of them.
    private static final long LANE = 4 << 20;
    /// What an object costs besides its bytes.
    private static final long EACH = 64 << 10;
    private static final int TOLD = 16;

    private final String drive;
    private final Tools tools;
    private final RateLimiter pace;
    private final Semaphore lanes = new Semaphore(LANES);
    private final BooleanSupplier wanted;
    private volatile List<Drive> concerned = List.of();
    private int failed;

    Bringing(String drive, Tools tools, BooleanSupplier wanted) {
        this.drive = drive;
        this.tools = tools;
        this.wanted = wanted;
        this.pace = new RateLimiter(
                tools.ticks(),
                () -> concerned.stream()
                        .mapToInt(tools.foreground()::waiting)
                        .max()
                        .orElse(0));
    }

    /// Begins when it is time. On one thread.
    ///
    /// @param holders the drives it belongs on
    /// @return completes with how many bytes were written, with nothing when it failed
    CompletableFuture<Optional<Long>> start(BucketRef bucket, ObjectKey name, long size, List<String> holders) {
        var used = new ArrayList<>(holders);
        if (!used.contains(drive)) {
            used.add(drive);
        }
        var readable = tools.surroundings().readable();
        concerned = used.stream()
                .flatMap(id -> Optional.ofNullable(readable.get(id)).stream())
                .toList();
        pace.await(size + EACH, tools.settings().rate(), wanted);
        if (!wanted.getAsBoolean()) {
            throw new NotWanted();
        }
        int taken = (int) Math.min(LANES / 2, 1 + size / LANE);
        lanes.acquireUninterruptibly(taken);
        tools.foreground().begin(used);
        return CompletableFuture.supplyAsync(() -> bring(bucket, name.key()), tools.threads())
                .whenComplete((_, _) -> {
                    tools.foreground().end(used);
                    lanes.release(taken);
                });
    }

    private Optional<Long> bring(BucketRef bucket, String key) {
        try {
            long written = tools.mover().bring(bucket, key);
            if (written > 0) {
                tools.movedObjects().increment();
                tools.movedBytes().add(written);
            }
            tools.failures().remove(bucket.name(), key);
            return Optional.of(written);
        } catch (RuntimeException failure) { // of whatever kind: the others are to be brought all the same
            fail(bucket, key, failure);
            return Optional.empty();
        }
    }

    private synchronized void fail(BucketRef bucket, String key, RuntimeException failure) {
        if (!wanted.getAsBoolean()) {
            LOG.debug("'{}' in {} was not brought, for the look ended", key, bucket.name(), failure);
            return;
        }
        tools.failures()
                .add(
                        bucket.name(),
                        key,
                        String.valueOf(failure.getMessage()),
                        tools.ticks().millis());
        if (failed++ < TOLD) {
            LOG.warn("'{}' in {} stays where it is for now", key, bucket.name(), failure);
        } else {
            LOG.debug("'{}' in {} stays where it is for now", key, bucket.name(), failure);
        }
    }
}
