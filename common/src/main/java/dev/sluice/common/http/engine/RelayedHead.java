package dev.sluice.common.http.engine;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Route;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Heads of relayed messages: everything end-to-end stays, what concerns one connection goes.
final class RelayedHead {
    /// Kept even when the Connection field names them: without them the node would read another request than we did.
    private static final Set<String> NEVER_DROPPED = Set.of("content-length", "host", "authorization", "expect");

    private RelayedHead() {}

    static ByteBuf ofRequest(ByteBufAllocator allocator, Exchange exchange, Route.Stage stage) {
        var head = exchange.head();
        var out = allocator.directBuffer(1024);
        try {
            ByteBufUtil.writeAscii(out, head.method());
            out.writeByte(' ');
            out.writeCharSequence(head.path(), StandardCharsets.ISO_8859_1);
            if (!head.query().isEmpty()) {
                out.writeByte('?');
                out.writeCharSequence(head.query(), StandardCharsets.ISO_8859_1);
            }
            ByteBufUtil.writeAscii(out, " HTTP/1.1\r\n");
            var named = namedByConnection(head.headers().all("Connection"));
            head.headers().forEach((name, value) -> {
                boolean expect = name.equalsIgnoreCase("Expect");
                // What we add is our word to the node: a client must not be able to say it too.
                boolean ours = stage.extra().has(name);
                if (!expect && !ours && !isDropped(name, named)) {
                    HeaderFields.write(out, name, value);
                }
            });
            if (!head.headers().has("Host")) {
                HeaderFields.write(out, "Host", stage.node().getRawAuthority());
            }
            stage.extra().forEach((name, value) -> HeaderFields.write(out, name, value));
            if (head.hasBody()) {
                HeaderFields.write(out, "Expect", "100-continue"); // so that the node asks for the body
            }
            if (head.contentLength() == RequestHead.UNKNOWN_LENGTH) {
                HeaderFields.write(out, "Transfer-Encoding", "chunked");
            }
            return out.writeByte('\r').writeByte('\n');
        } catch (RuntimeException unsendable) {
            out.release();
            throw unsendable;
        }
    }

    static Headers endToEnd(HttpHeaders headers) {
        var named = namedByConnection(headers.getAll(HttpHeaderNames.CONNECTION));
        var kept = Headers.builder();
        var each = headers.iteratorCharSequence();
        while (each.hasNext()) {
            var field = each.next();
            var name = field.getKey().toString();
            if (!isDropped(name, named)) {
                kept.add(name, field.getValue().toString());
            }
        }
        return kept.build();
    }

    private static boolean isDropped(String name, Set<String> named) {
        return HeaderFields.isHopByHop(name) || (!named.isEmpty() && named.contains(name.toLowerCase(Locale.ROOT)));
    }

    private static Set<String> namedByConnection(List<String> values) {
        if (values.isEmpty()) {
            return Set.of();
        }
        var names = new HashSet<String>();
        for (var value : values) {
            for (var each : value.split(",")) {
                names.add(each.strip().toLowerCase(Locale.ROOT));
            }
        }
        names.removeAll(NEVER_DROPPED);
        return names;
    }
}
