package dev.sluice.common.http.engine;

import dev.sluice.common.peer.ClusterTls;
import dev.sluice.testing.MadeKeys;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/// A certificate for 127.0.0.1, made for a test, and who trusts it.
record TestKeys(TlsFiles files, SSLContext trusting) {
    static TestKeys make(Path folder) throws Exception {
        var keys = new MadeKeys(folder.resolve("keys.p12")).make("server", "-ext", "SAN=ip:127.0.0.1");
        var certificate = keys.certificate("server");
        return new TestKeys(
                new TlsFiles(certificate, keys.key("server"), certificate), ClusterTls.trusting(certificate));
    }
}
