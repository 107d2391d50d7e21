package dev.sluice.cli.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.common.http.engine.AccessLog;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;

/// One JSON object a line for every answered request. Nodes may share a file, also from several processes: whole lines
/// are appended, in writes that the kernel does not mix. Without headers and without the parameters that [LoggedQuery]
/// keeps back.
final class JsonAccessLog implements AccessLog, AutoCloseable {
    /// Small enough that one call of the kernel takes all of it.
    private static final int BUFFERED = 32 << 10;
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private final String node;
    private final FileOutputStream file;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream(2 * BUFFERED);

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    private record Line(
            String time,
            String node,
            String requestId,
            String remote,
            String method,
            String path,
            String query,
            int status,
            long bytesIn,
            long bytesOut,
            double milliseconds,
            boolean complete) {}

    private JsonAccessLog(String node, FileOutputStream file) {
        this.node = node;
        this.file = file;
    }

    /// @throws IOException with one line for the operator
    static JsonAccessLog open(String node, Path path) throws IOException {
        try {
            return new JsonAccessLog(node, new FileOutputStream(path.toFile(), true));
        } catch (IOException unwritable) {
            throw new IOException("log.access_log cannot be written: " + unwritable.getMessage(), unwritable);
        }
    }

    @Override
    public void answered(Entry entry) {
        try {
            lines.writeBytes(JSON.writeValueAsBytes(line(entry)));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
        lines.write('\n');
        if (lines.size() >= BUFFERED) {
            flush();
        }
    }

    private Line line(Entry entry) {
        return new Line(
                Instant.ofEpochMilli(entry.endedMillis()).toString(),
                node,
                entry.requestId(),
                entry.remote(),
                entry.method(),
                entry.path(),
                LoggedQuery.of(entry.query()),
                entry.status(),
                entry.bytesIn(),
                entry.bytesOut(),
                Math.floorDiv(entry.took().toNanos(), 1000) / 1e3,
                entry.complete());
    }

    /// What cannot be written is lost: a later attempt could begin within a line.
    @Override
    public void flush() {
        try {
            if (lines.size() > 0) {
                file.write(lines.toByteArray());
            }
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        } finally {
            lines.reset();
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
