package dev.sluice.deploy.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/// A certificate for this machine's loopback that only itself vouches for, and its key, as PEM files.
public record SelfSigned(Path certificate, Path key) {
    private static final String PASSWORD = "for-the-test";

    public static SelfSigned in(Path folder) throws IOException, GeneralSecurityException {
        var store = folder.resolve("keys.p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        var options =
                "-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -genkeypair -alias node -keyalg EC -dname CN=sluice -ext SAN=ip:127.0.0.1,dns:localhost"
                        + " -ext BC:c -storetype PKCS12 -storepass " + PASSWORD + " -keystore";
        var command = new ArrayList<>(List.of(keytool));
        command.addAll(List.of(options.split(" ")));
        command.add(store.toString());
        Finished.run(Duration.ofMinutes(1), Map.of(), command).orFail("");
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        return new SelfSigned(
                pem(folder, "CERTIFICATE", keys.getCertificate("node").getEncoded()),
                pem(
                        folder,
                        "PRIVATE KEY",
                        keys.getKey("node", PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path folder, String what, byte[] bytes) throws IOException {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                folder.resolve(what.replace(' ', '-') + ".pem"),
                "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(what, text, what));
    }
}
