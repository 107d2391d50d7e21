package dev.sluice.backend.gcs;

import com.google.api.client.http.HttpStatusCodes;
import com.google.api.client.http.LowLevelHttpRequest;
import com.google.api.client.http.LowLevelHttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/// One request of Google's client, over an Apache client.
final class GcsRequest extends LowLevelHttpRequest {
    private final CloseableHttpClient client;
    private final HttpUriRequestBase request;

    GcsRequest(CloseableHttpClient client, String method, String url) {
        this.client = client;
        this.request = new HttpUriRequestBase(method, URI.create(url));
    }

    @Override
    public void addHeader(String name, String value) {
        request.addHeader(name, value);
    }

    /// The time to connect is that of the transport.
    @Override
    public void setTimeout(int connectMillis, int readMillis) {
        request.setConfig(RequestConfig.custom()
                .setResponseTimeout(Timeout.ofMilliseconds(readMillis))
                .build());
    }

    @Override
    public LowLevelHttpResponse execute() throws IOException {
        var content = getStreamingContent();
        if (content != null) {
            request.setEntity(new Body(content::writeTo, getContentLength(), getContentType(), getContentEncoding()));
        }
        var response = client.executeOpen(null, request, HttpClientContext.create());
        // An upload that goes on is answered by a 308 without a Location.
        if (HttpStatusCodes.isRedirect(response.getCode()) && response.containsHeader("Location")) {
            request.abort();
            response.close();
            throw new IOException("a redirect to another address (%d) is not followed".formatted(response.getCode()));
        }
        return new GcsResponse(request, response);
    }

    private interface Written {
        void writeTo(OutputStream out) throws IOException;
    }

    private static final class Body extends AbstractHttpEntity {
        private final Written content;
        private final long length;

        Body(Written content, long length, @Nullable String type, @Nullable String encoding) {
            super(type == null ? null : ContentType.parseLenient(type), encoding, length < 0);
            this.content = content;
            this.length = length;
        }

        @Override
        public long getContentLength() {
            return length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            content.writeTo(out);
        }

        @Override
        public boolean isRepeatable() {
            return false;
        }

        @Override
        public boolean isStreaming() {
            return true;
        }

        @Override
        public InputStream getContent() {
            throw new UnsupportedOperationException("the body is written, not read");
        }

        @Override
        public void close() {
            // the content is its maker's
        }
    }
}
