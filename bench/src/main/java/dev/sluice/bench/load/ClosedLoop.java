package dev.sluice.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResultProvider;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// One connection: send, await the whole answer, send the next at once or when it is due. If the connection is lost it
/// opens another. All but `start` and `await` happens on event loops, one at a time. Sharable in Netty's sense only so
/// that it can move to the next channel; it is never in two.
@Sharable
final class ClosedLoop extends ChannelInboundHandlerAdapter {
    private static final int MOST_LOST_IN_A_ROW = 20;

    private final LoadGenerator.Run run;
    private final RequestHeads heads;
    private final Window window;
    private final Workload.Session session;
    private final Consumer<ClosedLoop> connector;
    private final Tally tally = new Tally();
    private final CountDownLatch done = new CountDownLatch(1);

    private Optional<Answer> awaited = Optional.empty();
    private Optional<Step> current = Optional.empty();
    private long sentAt;
    private long due;
    private int lostInARow;
    private boolean backingOff;

    ClosedLoop(
            LoadGenerator.Run run,
            RequestHeads heads,
            Window window,
            Workload.Session session,
            Consumer<ClosedLoop> connector) {
        this.run = run;
        this.heads = heads;
        this.window = window;
        this.session = session;
        this.connector = connector;
        this.due = System.nanoTime() + (long) (run.every().toNanos() * Math.random());
    }

    void start() {
        connector.accept(this);
    }

    InetSocketAddress address() {
        return run.endpoint().address();
    }

    /// Waits for the last answer. One that does not come counts as timed out.
    Tally await(long nanos) throws InterruptedException {
        if (done.await(Math.max(nanos, 0), TimeUnit.NANOSECONDS)) {
            return tally;
        }
        var unfinished = new Tally();
        unfinished.failure("timed out");
        return unfinished;
    }

    boolean awaitsHead() {
        return current.filter(step -> step.verb() == Step.Verb.HEAD).isPresent();
    }

    void notConnected(Throwable cause) {
        tally.failure("connect: " + (cause.getMessage() == null ? cause : cause.getMessage()));
        again();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        sendNext(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (current.isEmpty()) {
                return; // what still comes after a failure
            }
            if (message instanceof DecoderResultProvider part
                    && part.decoderResult().isFailure()) {
                fail("not HTTP");
                hangUp(context);
                return;
            }
            Answer answer = awaited.orElseThrow(() -> new IllegalStateException("a response without a request"));
            if (message instanceof HttpResponse head) {
                answer.head(head);
            }
            if (message instanceof HttpContent content) {
                answer.content(content.content());
            }
            if (message instanceof LastHttpContent && !answer.isInformational()) {
                answered(context, answer);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (current.isPresent()) {
            fail("connection closed");
        }
        if (backingOff) {
            afterBackOff(context, this::again);
        } else {
            again();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause instanceof ReadTimeoutException ? "no answer" : cause.toString());
        hangUp(context);
    }

    private void sendNext(ChannelHandlerContext context) {
        long early = run.every().isPositive() ? due - System.nanoTime() : 0;
        if (early > 0) {
            var _ = context.executor().schedule(() -> sendNextIfOpen(context), early, TimeUnit.NANOSECONDS);
        } else {
            sendNow(context);
        }
    }

    private void sendNow(ChannelHandlerContext context) {
        long now = System.nanoTime();
        current = window.isOver(now) ? Optional.empty() : session.next();
        if (current.isEmpty()) {
            done.countDown();
            hangUp(context);
            return;
        }
        Step step = current.get();
        awaited = Optional.of(new Answer(step, run.body(), run.checkContent()));
        sentAt = run.every().isPositive() ? due : now; // waiting for the last answer counts
        due += run.every().toNanos();
        backingOff = false;
        write(context, heads.of(step, now));
        if (step.verb().sendsBody()) {
            write(context, run.body().toSend());
        }
        context.flush();
    }

    /// If the other side has hung up meanwhile, the next connection has begun already.
    private void sendNextIfOpen(ChannelHandlerContext context) {
        if (context.channel().isActive()) {
            sendNext(context);
        }
    }

    private void answered(ChannelHandlerContext context, Answer answer) {
        long now = System.nanoTime();
        Step step = current.orElseThrow();
        int keys = step.verb() == Step.Verb.LIST ? session.listed(answer.page()) : 0;
        Optional<String> fault = answer.fault();
        if (fault.isPresent()) {
            fail(fault.get());
        } else if (window.counts(now)) {
            int sent = step.verb().sendsBody() ? run.body().length() : 0;
            tally.success(now - sentAt, answer.bodyLength(), sent, keys);
        }
        lostInARow = 0;
        current = Optional.empty();
        backingOff = answer.isOverload() && run.backOff().isPositive();
        if (!answer.keepAlive()) {
            hangUp(context);
        } else if (backingOff) {
            afterBackOff(context, () -> sendNextIfOpen(context));
        } else {
            sendNext(context);
        }
    }

    /// As long as was asked for, and up to half as long again: not all at the same moment.
    private void afterBackOff(ChannelHandlerContext context, Runnable next) {
        long millis = (long) (run.backOff().toMillis() * (1 + Math.random() / 2));
        var _ = context.executor().schedule(next, millis, TimeUnit.MILLISECONDS);
    }

    private void fail(String cause) {
        if (window.counts(System.nanoTime())) {
            tally.failure(cause);
        }
        current = Optional.empty();
    }

    private static void write(ChannelHandlerContext context, ByteBuf bytes) {
        var _ = context.write(bytes, context.voidPromise());
    }

    private static void hangUp(ChannelHandlerContext context) {
        var _ = context.close();
    }

    /// Opens the next connection, unless the run is over or the other side is gone for good.
    private void again() {
        if (done.getCount() == 0) {
            return;
        }
        if (window.isOver(System.nanoTime()) || ++lostInARow > MOST_LOST_IN_A_ROW) {
            done.countDown();
        } else {
            connector.accept(this);
        }
    }
}
