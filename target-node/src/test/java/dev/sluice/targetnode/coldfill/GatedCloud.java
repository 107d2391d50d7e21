package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendPage;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.BackendStream;
import dev.sluice.backend.WriteCondition;
import dev.sluice.backend.memory.MemoryBackend;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/// A bucket in memory at whose doors a test can stand.
public final class GatedCloud implements Backend {
    private static final BackendSettings SETTINGS = new BackendSettings(
            64,
            0,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            2,
            Duration.ofMillis(1),
            Duration.ofMillis(2),
            5L << 30,
            128L << 20);

    /// Called at a moment of a request; may wait or throw.
    public interface Moment {
        void at(String operation, String key);
    }

    /// Called with what a GET asked for, before each buffer of its body.
    public interface BodyMoment {
        void at(BackendRead read, long sent) throws IOException;
    }

    private final MemoryBackend memory =
            new MemoryBackend(BackendAddress.parse("s3://memory"), SETTINGS, new SimpleMeterRegistry());
    private final AtomicInteger open = new AtomicInteger();
    private volatile Moment before = (_, _) -> {};
    private volatile Moment after = (_, _) -> {};
    private volatile BodyMoment body = (_, _) -> {};
    private volatile Predicate<String> isListed = _ -> true;
    private volatile boolean encrypts = true;

    public MemoryBackend memory() {
        return memory;
    }

    public void before(Moment moment) {
        before = moment;
    }

    public void after(Moment moment) {
        after = moment;
    }

    public void body(BodyMoment moment) {
        body = moment;
    }

    /// From now on, lists lack the other keys.
    public void listing(Predicate<String> keys) {
        isListed = keys;
    }

    /// Streams that were opened and not closed.
    public int openStreams() {
        return open.get();
    }

    @Override
    public double shortage() {
        return memory.shortage();
    }

    @Override
    public boolean keepsTags() {
        return memory.keepsTags();
    }

    @Override
    public boolean encryptsOnRequest() {
        return encrypts;
    }

    /// From now on it is like Google's, which takes no header for it.
    public void encryptsOnRequest(boolean does) {
        encrypts = does;
    }

    @Override
    public Optional<Tags> tags(String key) {
        before.at("tags", key);
        return memory.tags(key);
    }

    @Override
    public String identity() {
        return memory.identity();
    }

    @Override
    public BackendAddress address() {
        return memory.address();
    }

    @Override
    public BackendObject head(String key) {
        before.at("head", key);
        var object = memory.head(key);
        after.at("head", key);
        return object;
    }

    @Override
    public BackendStream get(String key, BackendRead read) {
        before.at("get", key);
        var stream = memory.get(key, read);
        open.incrementAndGet();
        after.at("get", key);
        return new BackendStream(stream.object(), stream.offset(), stream.length(), gated(stream.body(), read));
    }

    private ByteSource gated(ByteSource source, BackendRead read) {
        return new ByteSource() {
            private long sent;
            private boolean closed;

            @Override
            public ByteBuffer next() throws IOException {
                body.at(read, sent);
                var bytes = source.next();
                sent += bytes.remaining();
                return bytes;
            }

            @Override
            public void close() {
                source.close();
                if (!closed) {
                    closed = true;
                    open.decrementAndGet();
                }
            }
        };
    }

    @Override
    public BackendObject put(
            String key, long length, ByteSource source, WriteAttributes attributes, WriteCondition condition) {
        before.at("put", key);
        var object = memory.put(key, length, source, attributes, condition);
        after.at("put", key);
        return object;
    }

    @Override
    public void delete(String key) {
        before.at("delete", key);
        memory.delete(key);
        after.at("delete", key);
    }

    @Override
    public BackendPage list(String prefix, String delimiter, String after, int max) {
        before.at("list", prefix);
        var page = memory.list(prefix, delimiter, after, max);
        this.after.at("list", prefix);
        var listed = page.entries().stream()
                .filter(entry -> isListed.test(entry.key()))
                .toList();
        return new BackendPage(listed, page.commonPrefixes(), page.next());
    }

    @Override
    public void close() {
        memory.close();
    }
}
