package dev.sluice.deploy.harness;

import dev.sluice.testing.MadeKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/// A certificate for this machine's loopback that only itself vouches for, and its key, as PEM files.
public record SelfSigned(Path certificate, Path key) {
    public static SelfSigned in(Path folder) throws IOException, GeneralSecurityException {
        var keys = new MadeKeys(folder.resolve("keys.p12"))
                .make("node", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-ext", "BC:c");
        return new SelfSigned(keys.certificate("node"), keys.key("node"));
    }
}
