package dev.sluice.backend.memory;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendFailure;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendPage;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.BackendStream;
import dev.sluice.backend.SourceStream;
import dev.sluice.backend.StreamSource;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A bucket that lives as long as this object, held to the same contract as the real ones. Counts requests, and fails
/// as it is told to.
public final class MemoryBackend implements Backend {
    private record Stored(BackendObject object, Tags tags, ByteBuffer bytes) {}

    private final BackendAddress address;
    private final BackendCalls calls;
    private final TreeMap<String, Stored> objects = new TreeMap<>(KeyOrder.INSTANCE);
    private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();
    private volatile Faults faults = Faults.NONE;
    private volatile boolean exists = true;

    public MemoryBackend(BackendAddress address, BackendSettings settings, MeterRegistry registry) {
        this.address = address;
        this.calls = new BackendCalls(address, settings, registry, MemoryBackend::explain);
    }

    private static BackendFailure explain(RuntimeException thrown, String key) {
        return switch (thrown) {
            case StoreException.BackendUnavailable broken -> BackendFailure.passing(broken);
            case StoreException known -> BackendFailure.finalAnswer(known);
            default ->
                BackendFailure.passing(new StoreException.BackendUnavailable(key + ": " + thrown.getMessage(), thrown));
        };
    }

    public void faults(Faults next) {
        faults = next;
    }

    /// The bucket and all in it is gone.
    public void destroy() {
        exists = false;
    }

    /// Requests so far that reached the cloud: head, get, put, delete or list.
    public int requests(String operation) {
        return counter(operation).get();
    }

    /// The keys of the objects that were to be encrypted.
    public List<String> encrypted() {
        synchronized (objects) {
            return objects.entrySet().stream()
                    .filter(each -> each.getValue().object().encryption().isPresent())
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private AtomicInteger counter(String operation) {
        return requests.computeIfAbsent(operation, _ -> new AtomicInteger());
    }

    @Override
    public String identity() {
        return "the owner of the memory";
    }

    @Override
    public BackendAddress address() {
        return address;
    }

    @Override
    public double shortage() {
        return calls.shortage();
    }

    @Override
    public BackendObject head(String key) {
        return calls.run("head", key, () -> {
            arrive("head");
            return stored(key).object();
        });
    }

    @Override
    public BackendStream get(String key, BackendRead read) {
        return calls.open("get", key, lease -> {
            arrive("get");
            var found = stored(key);
            if (!read.ifVersion()
                    .orElse(found.object().version())
                    .equals(found.object().version())) {
                throw new StoreException.PreconditionFailed("version of " + key);
            }
            long size = found.object().size();
            var range = read.range().map(wanted -> wanted.resolve(size)).orElse(new ByteRange.Resolved(0, size));
            var body = new StreamSource(
                    content(found.bytes(), range), range.length(), calls::received, _ -> lease.release());
            return new BackendStream(found.object(), range.offset(), range.length(), body);
        });
    }

    private InputStream content(ByteBuffer bytes, ByteRange.Resolved range) {
        int length = (int) Math.min(range.length(), faults.breakAfter().orElse(Long.MAX_VALUE));
        var sent = bytes.slice((int) range.offset(), length);
        return new BufferStream(sent, faults.corrupt() ? length / 2 : -1);
    }

    @Override
    public BackendObject put(
            String key, long length, ByteSource body, WriteAttributes attributes, WriteCondition condition) {
        try (body) {
            var stream = new SourceStream(checked(body, attributes));
            stream.part(length);
            return calls.run("put", key, () -> !stream.begun(), () -> {
                arrive("put");
                try {
                    var bytes = stream.readAllBytes();
                    stream.end();
                    calls.sent(bytes.length);
                    return store(key, bytes, attributes, condition);
                } catch (IOException e) {
                    throw stream.explain(new StoreException.BackendUnavailable(key, e));
                }
            });
        }
    }

    private static ByteSource checked(ByteSource source, WriteAttributes attributes) {
        var checked = source;
        for (var promise : attributes.checksums().entrySet()) {
            checked =
                    new BackendChecks.Checksum(promise.getKey(), promise.getValue()).verifying(checked, Runnable::run);
        }
        return checked;
    }

    private BackendObject store(String key, byte[] bytes, WriteAttributes attributes, WriteCondition condition) {
        synchronized (objects) {
            var current = Optional.ofNullable(objects.get(key))
                    .map(stored -> stored.object().version());
            boolean holds = switch (condition) {
                case WriteCondition.Always _ -> true;
                case WriteCondition.IfAbsent _ -> current.isEmpty();
                case WriteCondition.IfVersion(var version) -> current.equals(Optional.of(version));
            };
            if (!holds) {
                throw new StoreException.PreconditionFailed("version of " + key);
            }
            var md5 = md5(bytes);
            var object = new BackendObject(
                    key,
                    bytes.length,
                    md5,
                    md5,
                    Instant.now(),
                    Tags.counted(attributes.headers()),
                    attributes.userMetadata(),
                    attributes.checksums(),
                    Optional.of(md5),
                    attributes.encrypted() ? Optional.of(Encryption.AES256) : Optional.empty());
            objects.put(key, new Stored(object, Tags.among(attributes.headers()), ByteBuffer.wrap(bytes)));
            return object;
        }
    }

    @Override
    public boolean keepsTags() {
        return true;
    }

    @Override
    public boolean encryptsOnRequest() {
        return true;
    }

    @Override
    public Optional<Tags> tags(String key) {
        return calls.run("tags", key, () -> {
            arrive("tags");
            return Optional.of(stored(key).tags());
        });
    }

    @Override
    public void delete(String key) {
        calls.run("delete", key, () -> {
            arrive("delete");
            synchronized (objects) {
                return Optional.ofNullable(objects.remove(key));
            }
        });
    }

    @Override
    public BackendPage list(String prefix, String delimiter, String after, int max) {
        return calls.run("list", prefix, () -> {
            arrive("list");
            synchronized (objects) {
                return page(prefix, delimiter, after, max);
            }
        });
    }

    private BackendPage page(String prefix, String delimiter, String after, int max) {
        var entries = new ArrayList<BackendPage.Entry>();
        var prefixes = new ArrayList<String>();
        var last = after;
        for (var stored : objects.tailMap(prefix, true).values()) {
            var object = stored.object();
            if (!object.key().startsWith(prefix)) {
                break;
            }
            int end = delimiter.isEmpty() ? -1 : object.key().indexOf(delimiter, prefix.length());
            var name = end < 0 ? object.key() : object.key().substring(0, end + delimiter.length());
            if (KeyOrder.INSTANCE.compare(name, last) <= 0) {
                continue;
            }
            if (entries.size() + prefixes.size() == max) {
                return new BackendPage(entries, prefixes, Optional.of(last));
            }
            last = name;
            if (end < 0) {
                entries.add(new BackendPage.Entry(name, object.size(), object.etag(), object.lastModified()));
            } else {
                prefixes.add(name);
            }
        }
        return new BackendPage(entries, prefixes, Optional.empty());
    }

    @Override
    public void close() {}

    private Stored stored(String key) {
        synchronized (objects) {
            return Optional.ofNullable(objects.get(key)).orElseThrow(() -> new StoreException.NoSuchKey(key));
        }
    }

    private void arrive(String operation) {
        var now = faults;
        counter(operation).incrementAndGet();
        if (now.latency().isPositive()) {
            try {
                Thread.sleep(now.latency());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException.BackendUnavailable("interrupted", e);
            }
        }
        if (now.unavailable()) {
            throw new StoreException.BackendUnavailable(address + " is ordered to fail", new IOException("ordered"));
        }
        if (!exists) {
            throw new StoreException.NoSuchBucket(address.toString());
        }
    }

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
