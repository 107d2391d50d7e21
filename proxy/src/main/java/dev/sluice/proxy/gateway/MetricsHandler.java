package dev.sluice.proxy.gateway;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// `GET /metrics`: all meters of this JVM as Prometheus reads them.
public final class MetricsHandler implements HttpHandler {
    private final PrometheusMeterRegistry registry;

    public MetricsHandler(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Answer answer(RequestHead head) {
        return new Blocking(_ -> Response.text(200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
    }
}
