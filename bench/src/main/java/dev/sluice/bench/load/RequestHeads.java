package dev.sluice.bench.load;

import dev.sluice.common.auth.SigV4Signer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The heads of requests as bytes, signed where wanted. A signature holds for 15 minutes, so the heads of requests that
/// repeat are made once and sent again for a third of that time: signing then costs nothing. Safe for many threads.
final class RequestHeads {
    private static final long FRESH_NANOS = Duration.ofMinutes(5).toNanos();

    private final String host;
    private final Optional<SigV4Signer> signer;
    private final String bodyHash;
    private final int bodyLength;
    private final Map<Step, Head> kept = new ConcurrentHashMap<>();

    RequestHeads(String host, Optional<SigV4Signer> signer, String bodyHash, int bodyLength) {
        this.host = host;
        this.signer = signer;
        this.bodyHash = bodyHash;
        this.bodyLength = bodyLength;
    }

    private static final class Head {
        private final byte[] bytes;
        private final long madeAt;

        Head(byte[] bytes, long madeAt) {
            this.bytes = bytes;
            this.madeAt = madeAt;
        }
    }

    ByteBuf of(Step step, long now) {
        if (!step.reusable()) {
            return Unpooled.wrappedBuffer(make(step));
        }
        Head head = kept.get(step);
        if (head == null || now - head.madeAt > FRESH_NANOS) {
            head = new Head(make(step), now);
            kept.put(step, head);
        }
        return Unpooled.wrappedBuffer(head.bytes);
    }

    private byte[] make(Step step) {
        String method = step.verb().method();
        var head = new StringBuilder(512);
        head.append(method).append(' ').append(step.path());
        if (!step.query().isEmpty()) {
            head.append('?').append(step.query());
        }
        head.append(" HTTP/1.1\r\nHost: ").append(host).append("\r\n");
        if (method.equals("PUT")) {
            head.append("Content-Length: ")
                    .append(step.verb().sendsBody() ? bodyLength : 0)
                    .append("\r\n");
        }
        String hash = step.verb().sendsBody() ? bodyHash : SigV4Signer.EMPTY;
        signer.ifPresent(keys -> keys.sign(method, host, step.path(), step.query(), Map.of(), hash, Instant.now())
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n")));
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }
}
