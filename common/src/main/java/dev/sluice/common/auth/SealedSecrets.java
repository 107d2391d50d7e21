package dev.sluice.common.auth;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Secrets on their way from one node to another, readable only with the cluster's key: AES-256-GCM (NIST SP 800-38D)
/// under a random nonce. Immutable, for all threads.
public final class SealedSecrets {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecureRandom random = new SecureRandom();
    private final SecretKeySpec key;

    /// @param clusterKey the secret that all nodes share
    public SealedSecrets(byte[] clusterKey) {
        this.key = new SecretKeySpec(Hmac.sha256(clusterKey).sign("sluice sealed secrets"), "AES");
    }

    public String seal(byte[] secret) {
        var nonce = new byte[NONCE];
        random.nextBytes(nonce);
        var sealed = ByteBuffer.allocate(NONCE + secret.length + TAG_BITS / Byte.SIZE)
                .put(nonce)
                .put(run(Cipher.ENCRYPT_MODE, nonce, secret).orElseThrow());
        return Base64.getEncoder().encodeToString(sealed.array());
    }

    /// Empty when it was changed, or sealed with another cluster's key.
    public Optional<byte[]> open(String text) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
        return bytes.length < NONCE
                ? Optional.empty()
                : run(Cipher.DECRYPT_MODE, Arrays.copyOf(bytes, NONCE), Arrays.copyOfRange(bytes, NONCE, bytes.length));
    }

    /// Empty when what is to be opened does not hold.
    private Optional<byte[]> run(int mode, byte[] nonce, byte[] input) {
        try {
            var cipher = Cipher.getInstance(CIPHER);
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            return Optional.of(cipher.doFinal(input));
        } catch (GeneralSecurityException e) {
            if (mode == Cipher.DECRYPT_MODE) {
                return Optional.empty();
            }
            throw new IllegalStateException("every JDK has " + CIPHER, e);
        }
    }
}
