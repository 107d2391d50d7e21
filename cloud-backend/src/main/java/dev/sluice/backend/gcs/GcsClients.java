package dev.sluice.backend.gcs;

import com.google.auth.Credentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.ServiceOptions;
import com.google.cloud.http.HttpTransportOptions;
import com.google.cloud.storage.BlobWriteSessionConfigs;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageOptions;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// How Google's client is set up: JSON over HTTP, and nothing repeated by itself.
final class GcsClients {
    /// What one upload keeps in memory, and sends in one request.
    private static final int UPLOAD_CHUNK = 4 << 20;

    private static final List<String> SCOPES = List.of("https://www.googleapis.com/auth/devstorage.read_write");

    private GcsClients() {}

    static Storage client(
            BackendAddress address, Credentials credentials, GcsTransport transport, BackendSettings settings) {
        var options = StorageOptions.http()
                .setCredentials(credentials)
                .setRetrySettings(ServiceOptions.getNoRetrySettings())
                .setTransportOptions(HttpTransportOptions.newBuilder()
                        .setHttpTransportFactory(() -> transport)
                        .setConnectTimeout((int) settings.connectTimeout().toMillis())
                        .setReadTimeout((int) settings.readTimeout().toMillis())
                        .build())
                .setBlobWriteSessionConfig(BlobWriteSessionConfigs.getDefault().withChunkSize(UPLOAD_CHUNK));
        options.setHost(address.endpoint().orElse(address.provider().home()).toString());
        return options.build().getService();
    }

    static Credentials credentials(BackendConnection connection) {
        try {
            return switch (connection.credentials()) {
                case BackendCredentials.Anonymous _ -> NoCredentials.getInstance();
                case BackendCredentials.DefaultChain _ -> GoogleCredentials.getApplicationDefault();
                case BackendCredentials.CredentialsFile(var file) -> ofFile(file);
                case BackendCredentials.Profile _, BackendCredentials.Keys _ ->
                    throw new IllegalArgumentException("GCS knows no " + connection.credentials());
            };
        } catch (IOException e) {
            var denied =
                    StoreException.BackendDenied.wantsCredentials("no credentials for %s: %s".formatted(connection, e));
            denied.initCause(e);
            throw denied;
        }
    }

    private static Credentials ofFile(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return GoogleCredentials.fromStream(in).createScoped(SCOPES);
        }
    }
}
