package dev.sluice.common.http.engine;

import dev.sluice.common.http.Route;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Asks nodes whether they are there: by a connection of its own, which waits for no other request. All relays of an
/// event loop that wait for a node share one ping at a time. Event loop only.
final class NodePings {
    /// For the connection and the answer's head.
    private static final long PATIENCE_MILLIS = 200;

    private final Upstreams upstreams;
    private final FastThreadLocal<Map<URI, Asked>> underWay = new FastThreadLocal<>() {
        @Override
        protected Map<URI, Asked> initialValue() {
            return new HashMap<>();
        }
    };

    NodePings(Upstreams upstreams) {
        this.upstreams = upstreams;
    }

    /// @param heard told once whether the node has answered in time, whatever it said
    void ask(EventLoop loop, URI node, Route.Ping ping, Consumer<Boolean> heard) {
        var running = underWay.get().get(node);
        if (running != null) {
            running.waiting.add(heard);
            return;
        }
        var asked = new Asked(node, ping);
        asked.waiting.add(heard);
        underWay.get().put(node, asked);
        asked.begin(loop);
    }

    /// One ping.
    private final class Asked implements UpstreamConnection.Listener {
        private final URI node;
        private final Route.Ping ping;
        private final List<Consumer<Boolean>> waiting = new ArrayList<>();
        private @Nullable UpstreamConnection connection;
        private boolean over;

        Asked(URI node, Route.Ping ping) {
            this.node = node;
            this.ping = ping;
        }

        private void begin(EventLoop loop) {
            var alarm = loop.schedule(() -> end(false), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            Promise<UpstreamConnection> connecting = upstreams.connect(loop, node);
            connecting.addListener(_ -> {
                if (!connecting.isSuccess()) {
                    end(false);
                } else if (over) {
                    connecting.getNow().close();
                } else {
                    send(connecting.getNow());
                }
                if (over) {
                    alarm.cancel(false);
                }
            });
        }

        private void send(UpstreamConnection to) {
            connection = to;
            to.lendTo(this, false);
            Unawaited.write(to.channel(), request(to.channel().alloc()));
            to.channel().flush();
            to.channel().read();
        }

        private ByteBuf request(ByteBufAllocator allocator) {
            var out = allocator.directBuffer(512);
            ByteBufUtil.writeAscii(out, "GET ");
            out.writeCharSequence(ping.path(), StandardCharsets.ISO_8859_1);
            ByteBufUtil.writeAscii(out, " HTTP/1.1\r\n");
            HeaderFields.write(out, "Host", node.getRawAuthority());
            ping.headers().forEach((name, value) -> HeaderFields.write(out, name, value));
            HeaderFields.write(out, "Connection", "close");
            return out.writeByte('\r').writeByte('\n');
        }

        private void end(boolean answered) {
            if (over) {
                return;
            }
            over = true;
            underWay.get().remove(node);
            var used = connection;
            connection = null;
            if (used != null) {
                used.close();
            }
            waiting.forEach(each -> each.accept(answered));
        }

        @Override
        public void answerHead(HttpResponse head) {
            end(true);
        }

        @Override
        public void answerContent(HttpContent content) {
            content.release();
        }

        @Override
        public void answerPaused() {
            if (connection != null) {
                connection.channel().read();
            }
        }

        @Override
        public void roomForBody() {}

        @Override
        public void lost(IOException cause) {
            end(false);
        }
    }
}
