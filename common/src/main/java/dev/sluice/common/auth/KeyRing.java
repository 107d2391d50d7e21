package dev.sluice.common.auth;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The access keys that may sign requests; never modified, a change of keys is a new ring. It remembers the
/// signing keys of the days in use, since deriving one costs more than all the rest of a verification.
public final class KeyRing {
    /// A day's signing key per access key, region and date: presigned URLs reach back a week.
    private static final int REMEMBERED = 512;

    public static final KeyRing EMPTY = new KeyRing(Map.of());

    private final Map<String, AccessKey> keys;
    private final Map<Scope, Hmac> signingKeys = new ConcurrentHashMap<>();

    /// What a SigV4 signing key is derived for.
    record Scope(String accessKey, String date, String region) {
        /// The scope as it stands in what is signed.
        String text() {
            return date + "/" + region + "/s3/aws4_request";
        }
    }

    private KeyRing(Map<String, AccessKey> keys) {
        this.keys = keys;
    }

    public static KeyRing of(Collection<AccessKey> keys) {
        var byId = new HashMap<String, AccessKey>();
        for (var key : keys) {
            if (byId.put(key.accessKey(), key) != null) {
                throw new IllegalArgumentException("two secrets for the access key " + key.accessKey());
            }
        }
        return new KeyRing(Map.copyOf(byId));
    }

    public static KeyRing of(AccessKey key) {
        return new KeyRing(Map.of(key.accessKey(), key));
    }

    public Optional<AccessKey> find(String accessKey) {
        return Optional.ofNullable(keys.get(accessKey));
    }

    Optional<Hmac> signingKey(Scope scope) {
        var remembered = signingKeys.get(scope);
        return remembered != null
                ? Optional.of(remembered)
                : find(scope.accessKey()).map(key -> derive(key.secretKey(), scope));
    }

    /// Called only after a signature was right, so that guesses cannot crowd out the keys in use.
    void remember(Scope scope, Hmac signingKey) {
        if (signingKeys.containsKey(scope)) {
            return;
        }
        if (signingKeys.size() >= REMEMBERED) {
            signingKeys.clear();
        }
        signingKeys.put(scope, signingKey);
    }

    int remembered() {
        return signingKeys.size();
    }

    static Hmac derive(String secretKey, Scope scope) {
        var date = Hmac.sha256(("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8))
                .sign(scope.date());
        var region = Hmac.sha256(date).sign(scope.region());
        var service = Hmac.sha256(region).sign("s3");
        return Hmac.sha256(Hmac.sha256(service).sign("aws4_request"));
    }
}
