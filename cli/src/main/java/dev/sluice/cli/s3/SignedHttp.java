package dev.sluice.cli.s3;

import dev.sluice.cli.failure.CommandFailure;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import dev.sluice.common.auth.SigV4Signer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Sends requests, signed where there are keys, and turns refusals into failures that say what to do.
public final class SignedHttp {
    private final URI endpoint;
    private final Optional<SigV4Signer> signer;
    private final Trust trust;
    private final HttpClient client;

    public SignedHttp(URI endpoint, Optional<Credentials> credentials, Trust trust) {
        this.endpoint = endpoint;
        this.signer = credentials.map(SigV4Signer::new);
        this.trust = trust;
        var builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(Duration.ofSeconds(5));
        if ("https".equals(endpoint.getScheme())) {
            builder.sslContext(trust.context());
        }
        this.client = builder.build();
    }

    public URI endpoint() {
        return endpoint;
    }

    public Trust trust() {
        return trust;
    }

    /// A request without a body; the answer's body is small.
    public HttpResponse<String> call(String method, String path, Map<String, String> query) {
        return call(method, path, query, Map.of(), BodyPublishers.noBody());
    }

    public HttpResponse<String> call(
            String method, String path, Map<String, String> query, Map<String, String> headers, BodyPublisher body) {
        var response = send(request(method, path, query, headers, body), BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw ServerFailure.parse(response.statusCode(), response.body()).asCommandFailure();
        }
        return response;
    }

    /// A request whose answer is read while it arrives; the caller closes it.
    public HttpResponse<InputStream> open(String path, Map<String, String> query) {
        var response =
                send(request("GET", path, query, Map.of(), BodyPublishers.noBody()), BodyHandlers.ofInputStream());
        if (response.statusCode() >= 300) {
            try (var body = response.body()) {
                var text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                throw ServerFailure.parse(response.statusCode(), text).asCommandFailure();
            } catch (IOException cut) {
                throw CommandFailure.failed("HTTP " + response.statusCode() + ", and then " + cut.getMessage());
            }
        }
        return response;
    }

    private HttpRequest request(
            String method, String path, Map<String, String> query, Map<String, String> headers, BodyPublisher body) {
        var uri = S3Address.of(endpoint, path, query);
        var request = HttpRequest.newBuilder(uri).method(method, body);
        var sent = signer.map(keys -> (Map<String, String>) keys.sign(
                        method,
                        S3Address.host(uri),
                        uri.getRawPath(),
                        Objects.requireNonNullElse(uri.getRawQuery(), ""),
                        headers,
                        SigV4Signer.UNSIGNED,
                        Instant.now()))
                .orElse(headers);
        sent.forEach(request::header);
        return request.build();
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return client.send(request, handler);
        } catch (IOException unreachable) {
            var reason = unreachable.getMessage() == null ? "no connection" : unreachable.getMessage();
            throw trust.refusal(endpoint.toString(), unreachable)
                    .orElseGet(() -> CommandFailure.passing("%s: %s (is the cluster up, and is %s right? sluice status)"
                            .formatted(endpoint, reason, endpoint.getScheme())));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
    }
}
