package dev.sluice.common.checksum;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process's one [Md5Batcher], because only streams that share one can be computed together. It starts when there
/// is company for the first time, and serves once [Md5Trial] has shown that it computes rightly and fast; until then,
/// and without the incubating vector module, every stream uses the JDK's MD5.
final class SharedMd5 {
    /// Fewer are better off with the JDK's MD5.
    private static final int COMPANY = 4;

    /// Who digests on its own thread keeps others from even opening their streams, so company a moment ago counts too.
    private static final long COMPANY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Logger LOG = LoggerFactory.getLogger(SharedMd5.class);
    private static final SharedMd5 PROCESS = new SharedMd5(possible());

    private final boolean possible;
    private final AtomicBoolean tried = new AtomicBoolean();
    private final OpenStreams streams = new OpenStreams(System::nanoTime);
    private final Md5Batcher batcher = new Md5Batcher(streams);
    private volatile boolean ready;
    private volatile long lastCompany = System.nanoTime() - COMPANY_NANOS;

    SharedMd5(boolean possible) {
        this.possible = possible;
    }

    static SharedMd5 ofProcess() {
        return PROCESS;
    }

    static boolean possible() {
        return !"off".equals(System.getProperty("sluice.md5.lanes"))
                && ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }

    /// A stream that counts until it is closed.
    OpenStreams.Stream open() {
        return streams.open();
    }

    /// For a stream that was just opened.
    ///
    /// @return empty when it had better use the JDK's MD5
    Optional<LaneMd5> lane() {
        if (!possible) {
            return Optional.empty();
        }
        long now = System.nanoTime();
        if (streams.moving() >= COMPANY) {
            lastCompany = now;
            if (!tried.getAndSet(true)) {
                Thread.ofPlatform().daemon().name("md5-trial").start(this::prepare);
            }
        }
        return ready && now - lastCompany < COMPANY_NANOS ? Optional.of(new LaneMd5(batcher)) : Optional.empty();
    }

    private void prepare() {
        var outcome = Md5Trial.run();
        if (outcome.serves()) {
            batcher.start(Runtime.getRuntime().availableProcessors());
            ready = true;
        }
        LOG.info(
                "MD5 of concurrent streams: {} lanes, {} times the speed of one, {}",
                outcome.lanes(),
                Math.round(10 * outcome.speedup()) / 10.0,
                outcome.serves() ? "in use" : outcome.right() ? "too slow to be used" : "not usable");
    }
}
