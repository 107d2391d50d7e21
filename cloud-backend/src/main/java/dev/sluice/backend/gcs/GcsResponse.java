package dev.sluice.backend.gcs;

import com.google.api.client.http.LowLevelHttpResponse;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.message.StatusLine;
import org.jspecify.annotations.Nullable;

/// An answer to a [GcsRequest]. A body that is closed long before its end takes its connection along: the rest of it
/// may be gigabytes.
final class GcsResponse extends LowLevelHttpResponse {
    /// So many bytes are rather read than a connection made again.
    private static final int SHORT = 64 << 10;

    private final HttpUriRequestBase request;
    private final ClassicHttpResponse response;
    private final Header[] headers;

    GcsResponse(HttpUriRequestBase request, ClassicHttpResponse response) {
        this.request = request;
        this.response = response;
        this.headers = response.getHeaders();
    }

    @Override
    public @Nullable InputStream getContent() throws IOException {
        HttpEntity entity = response.getEntity();
        return entity == null ? null : new Content(entity.getContent(), entity.getContentLength());
    }

    private final class Content extends FilterInputStream {
        private long left;
        private boolean closed;

        /// @param length negative when it is unknown
        Content(InputStream in, long length) {
            super(in);
            this.left = length < 0 ? SHORT : length;
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            left -= value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int got = in.read(bytes, offset, length);
            left -= Math.max(0, got);
            return got;
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            if (left <= SHORT && endsSoon()) {
                response.close();
            } else {
                request.abort();
            }
        }

        private boolean endsSoon() {
            try {
                return in.readNBytes(SHORT).length < SHORT;
            } catch (IOException broken) { // so the connection cannot be used again
                return false;
            }
        }
    }

    @Override
    public @Nullable String getContentEncoding() {
        return first("Content-Encoding");
    }

    @Override
    public long getContentLength() {
        HttpEntity entity = response.getEntity();
        return entity == null ? -1 : entity.getContentLength();
    }

    @Override
    public @Nullable String getContentType() {
        return first("Content-Type");
    }

    private @Nullable String first(String name) {
        var header = response.getFirstHeader(name);
        return header == null ? null : header.getValue();
    }

    @Override
    public String getStatusLine() {
        return new StatusLine(response).toString();
    }

    @Override
    public int getStatusCode() {
        return response.getCode();
    }

    @Override
    public @Nullable String getReasonPhrase() {
        return response.getReasonPhrase();
    }

    @Override
    public int getHeaderCount() {
        return headers.length;
    }

    @Override
    public String getHeaderName(int index) {
        return headers[index].getName();
    }

    @Override
    public String getHeaderValue(int index) {
        return headers[index].getValue();
    }

    @Override
    public void disconnect() throws IOException {
        request.abort();
        response.close();
    }
}
