package dev.sluice.common.http.engine;

import io.netty.channel.Channel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.net.URI;
import javax.net.ssl.SSLException;

/// TLS of both sides, by BoringSSL where its library loads, else by the JDK.
final class Tls {
    private final SslContext server;
    private final SslContext client;

    private Tls(SslContext server, SslContext client) {
        this.server = server;
        this.client = client;
    }

    static Tls load(TlsFiles files) throws SSLException {
        var provider = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
        try {
            return new Tls(
                    SslContextBuilder.forServer(
                                    files.certificates().toFile(), files.key().toFile())
                            .sslProvider(provider)
                            .build(),
                    SslContextBuilder.forClient()
                            .trustManager(files.trusted().toFile())
                            .sslProvider(provider)
                            .build());
        } catch (IllegalArgumentException unreadable) {
            throw new SSLException("cannot use " + files + ": " + unreadable.getMessage(), unreadable);
        }
    }

    SslHandler serverSide(Channel channel) {
        return server.newHandler(channel.alloc());
    }

    SslHandler clientSide(Channel channel, URI node) {
        return client.newHandler(channel.alloc(), node.getHost(), node.getPort());
    }
}
