package dev.sluice.backend.gcs;

import com.google.api.client.http.HttpTransport;
import com.google.api.client.http.LowLevelHttpRequest;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.ConnectGuard;
import java.net.ProxySelector;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.routing.SystemDefaultRoutePlanner;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;

/// The connections of Google's client. Google's own transports look up names by themselves; this one connects only
/// where [ConnectGuard] lets it, and follows no redirect.
final class GcsTransport extends HttpTransport {
    private final CloseableHttpClient client;

    GcsTransport(BackendConnection connection, BackendSettings settings) {
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(new ConnectGuard(connection))
                .setMaxConnTotal(settings.maxConnections())
                .setMaxConnPerRoute(settings.maxConnections())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(settings.connectTimeout()))
                        .setSocketTimeout(Timeout.of(settings.readTimeout()))
                        .build())
                .build();
        this.client = HttpClients.custom()
                .setConnectionManager(connections)
                .setRoutePlanner(new SystemDefaultRoutePlanner(ProxySelector.getDefault()))
                .disableRedirectHandling()
                .disableAutomaticRetries()
                .disableContentCompression()
                .disableCookieManagement()
                .disableAuthCaching()
                .build();
    }

    @Override
    protected LowLevelHttpRequest buildRequest(String method, String url) {
        return new GcsRequest(client, method, url);
    }

    @Override
    public void shutdown() {
        client.close(CloseMode.IMMEDIATE);
    }
}
