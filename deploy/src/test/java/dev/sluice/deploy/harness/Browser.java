package dev.sluice.deploy.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/// A headless Chromium, told what to do by the WebDriver protocol.
public final class Browser implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration STARTED = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process driver;
    private final String url;
    private final String session;

    /// @param log where the driver writes
    public Browser(Path log) throws IOException {
        int port = FreePort.next();
        url = "http://127.0.0.1:" + port;
        driver = new ProcessBuilder(Tools.peer("chromium").toString(), "--port=" + port)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        var chrome = Map.of(
                "args",
                List.of("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1500"));
        var wanted = Map.of("goog:chromeOptions", chrome, "goog:loggingPrefs", Map.of("browser", "ALL"));
        session = Eventually.within(
                STARTED,
                () -> call("POST", "/session", Map.of("capabilities", Map.of("alwaysMatch", wanted)))
                        .path("sessionId")
                        .asText());
    }

    public void open(String page) {
        here("POST", "/url", Map.of("url", page));
    }

    /// What a function body in JavaScript returns.
    public JsonNode run(String script) {
        return here("POST", "/execute/sync", Map.of("script", script, "args", List.of()));
    }

    /// What the console has said since the last time, errors and warnings.
    public List<String> complaints() {
        var said = new ArrayList<String>();
        for (var line : here("POST", "/se/log", Map.of("type", "browser"))) {
            said.add(line.path("level").asText() + " " + line.path("message").asText());
        }
        return said;
    }

    /// As PNG.
    public byte[] screenshot() {
        return Base64.getDecoder().decode(here("GET", "/screenshot", Map.of()).asText());
    }

    private JsonNode here(String method, String path, Map<String, ?> message) {
        try {
            return call(method, "/session/" + session + path, message);
        } catch (IOException e) {
            throw new AssertionError("the browser does not answer", e);
        }
    }

    private JsonNode call(String method, String path, Map<String, ?> message) throws IOException {
        var body = method.equals("GET")
                ? BodyPublishers.noBody()
                : BodyPublishers.ofString(JSON.writeValueAsString(message));
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, body)
                .build();
        try {
            var answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("%s %s: %s".formatted(method, path, answer.body()));
            }
            return JSON.readTree(answer.body()).path("value");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        here("DELETE", "", Map.of()); // ends the browser
        driver.destroy();
        driver.onExit().join();
        http.close();
    }
}
