package dev.sluice.bench.load;

import dev.sluice.common.auth.Credentials;
import dev.sluice.common.auth.SigV4Signer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;

/// Where requests go, and how they are signed: not at all without credentials.
public record Endpoint(URI uri, Optional<Credentials> credentials, boolean signPayload) {
    public Endpoint {
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException("'" + uri + "' is not an http:// endpoint");
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(uri.getHost(), port());
    }

    RequestHeads heads(Body body) {
        String hash = signPayload ? body.sha256() : SigV4Signer.UNSIGNED;
        String host = uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
        return new RequestHeads(host, credentials.map(SigV4Signer::new), hash, body.length());
    }

    private int port() {
        return uri.getPort() < 0 ? 80 : uri.getPort();
    }
}
