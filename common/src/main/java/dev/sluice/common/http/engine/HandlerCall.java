package dev.sluice.common.http.engine;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.Forward;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody.Streamed;

/// A handler's blocking work on one request, on a virtual thread of its own, and after it the writer of a
/// streamed answer. The request's body can be read until the work returns.
final class HandlerCall implements Runnable {
    private final Exchange exchange;
    private final Blocking.Work work;
    private final InboundBody body;

    HandlerCall(Exchange exchange, Blocking.Work work, InboundBody body) {
        this.exchange = exchange;
        this.work = work;
        this.body = body;
    }

    @Override
    public void run() {
        Answer answer;
        try {
            answer = work.run(body);
        } catch (Throwable thrown) {
            body.close();
            exchange.onLoop(() -> exchange.fail(thrown));
            return;
        }
        switch (answer) {
            case Forward forward when !body.pulled() -> exchange.onLoop(() -> exchange.forward(forward, body));
            case Forward _ -> {
                body.close();
                var fault = new IllegalStateException("a request whose body was read cannot be forwarded");
                exchange.onLoop(() -> exchange.fail(fault));
            }
            case Blocking _ -> {
                body.close();
                var fault = new IllegalStateException("blocking work must not answer with more of it");
                exchange.onLoop(() -> exchange.fail(fault));
            }
            case Response response -> {
                body.close();
                respond(response);
            }
        }
    }

    private void respond(Response response) {
        if (response.body() instanceof Streamed streamed && !exchange.isHead()) {
            var stream = new StreamedSending(exchange, response, streamed);
            exchange.onLoop(() -> exchange.begin(stream));
            stream.run();
        } else if (!exchange.onLoop(() -> exchange.answer(response))) {
            Exchange.discard(response);
        }
    }
}
