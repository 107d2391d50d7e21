package dev.sluice.common.peer;

import dev.sluice.common.auth.HopTokens;
import dev.sluice.common.auth.Identity;
import dev.sluice.common.auth.NodeTokens;
import dev.sluice.common.auth.TokenVerdict;
import dev.sluice.common.http.Bodies;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;

/// Proof that a call comes from a node of this cluster: made with the cluster's key, short-lived, and bound to the
/// receiver, the method, the path with its query, and the SHA-256 of the body.
public final class PeerTokens {
    /// The header that carries the token.
    public static final String HEADER = NodeTokens.HEADER;

    /// The header that says what the body is: the SHA-256 of a command, in hex. Without it there is no body.
    public static final String BODY_HEADER = "x-sluice-body-sha256";

    /// The largest body of a command.
    public static final int LARGEST_COMMAND = 1 << 20;

    /// The largest body of messages between replicas: the record of an object of 5 TiB has 20 MiB.
    public static final int LARGEST_MESSAGES = 32 << 20;

    private static final String NO_BODY = "none";

    private final NodeId self;
    private final NodeTokens tokens;
    private final HopTokens hops;
    private final InstantSource clock;

    public PeerTokens(NodeId self, byte[] clusterKey, InstantSource clock) {
        this.self = self;
        this.tokens = new NodeTokens(clusterKey);
        this.hops = new HopTokens(clusterKey);
        this.clock = clock;
    }

    /// For a call without a body.
    ///
    /// @param target path and query as in the request line
    public String issue(NodeId receiver, String method, String target) {
        return issue(receiver, method, target, NO_BODY);
    }

    /// For a command.
    ///
    /// @param bodySha256 as in [#BODY_HEADER]
    public String issue(NodeId receiver, String method, String target, String bodySha256) {
        return tokens.issue(
                self.value(), new NodeTokens.Request(receiver.value(), method, target, bodySha256), clock.instant());
    }

    /// The node that made the request's token; empty when there is none, or it is forged, expired or made for something
    /// else. A body is still to be compared, by [#command].
    public Optional<NodeId> verify(RequestHead head) {
        var token = head.headers().first(HEADER);
        var body = head.headers().first(BODY_HEADER);
        if (token.isEmpty() || (body.isEmpty() && head.hasBody())) {
            return Optional.empty();
        }
        var request = new NodeTokens.Request(self.value(), head.method(), target(head), body.orElse(NO_BODY));
        return switch (tokens.verify(token.get(), request, clock.instant())) {
            case TokenVerdict.Granted(Identity.Node(var id), var _) -> Optional.of(new NodeId(id));
            case TokenVerdict.Granted _, TokenVerdict.Expired _, TokenVerdict.Forged _ -> Optional.empty();
        };
    }

    private static String target(RequestHead head) {
        return head.query().isEmpty() ? head.path() : head.path() + "?" + head.query();
    }

    /// For a client's request that this node relays.
    ///
    /// @param hop what [ObjectCall#HOP] says
    public String issueHop(NodeId receiver, RequestHead head, String hop) {
        return hops.issue(self.value(), hop(receiver, head, hop), clock.instant());
    }

    /// Whether a node of this cluster said what the request's [ObjectCall#HOP] says.
    public boolean isHop(RequestHead head) {
        var hop = head.headers().first(ObjectCall.HOP);
        var token = head.headers().first(HopTokens.HEADER);
        return hop.isPresent()
                && token.isPresent()
                && hops.verify(token.get(), hop(self, head, hop.get()), clock.instant());
    }

    private static HopTokens.Request hop(NodeId receiver, RequestHead head, String hop) {
        return new HopTokens.Request(receiver.value(), head.method(), target(head), hop);
    }

    /// Reads the body of a verified call.
    ///
    /// @throws IOException when it broke off, is too large, or is not the one that the token was made for
    public static byte[] command(RequestHead head, ByteSource body) throws IOException {
        var bytes = Bodies.read(body, head.path().equals(PeerPaths.REPLICA) ? LARGEST_MESSAGES : LARGEST_COMMAND);
        if (!head.headers().first(BODY_HEADER).equals(Optional.of(sha256(bytes)))) {
            throw new IOException("the body is not the one that the call's token was made for");
        }
        return bytes;
    }

    public static String sha256(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
