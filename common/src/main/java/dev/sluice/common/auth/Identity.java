package dev.sluice.common.auth;

import java.util.Optional;

/// Who a request comes from.
public sealed interface Identity {
    /// The owner of an access key, proven by a signature.
    record User(String accessKey) implements Identity {}

    /// A node of this cluster, proven by a token.
    record Node(String id) implements Identity {}

    /// Nobody said who: allowed only what a bucket's policy allows everyone.
    record Anonymous() implements Identity {}

    /// The cluster runs without authentication: whoever it is may do everything.
    record Anyone() implements Identity {}

    /// False for those to whom a bucket's policy must grant what they ask for.
    default boolean trusted() {
        return !(this instanceof Anonymous);
    }

    /// How the identity stands in tokens and log lines.
    default String text() {
        return switch (this) {
            case User(var accessKey) -> "user:" + accessKey;
            case Node(var id) -> "node:" + id;
            case Anonymous() -> "anonymous";
            case Anyone() -> "anyone";
        };
    }

    static Optional<Identity> ofText(String text) {
        if (text.startsWith("user:")) {
            return Optional.of(new User(text.substring(5)));
        }
        if (text.startsWith("node:")) {
            return Optional.of(new Node(text.substring(5)));
        }
        return switch (text) {
            case "anonymous" -> Optional.of(new Anonymous());
            case "anyone" -> Optional.of(new Anyone());
            default -> Optional.empty();
        };
    }
}
