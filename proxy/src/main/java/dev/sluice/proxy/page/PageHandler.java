package dev.sluice.proxy.page;

import dev.sluice.common.auth.PageTokens;
import dev.sluice.common.auth.TokenVerdict;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// `GET /ui/TOKEN/`: the cluster's page, to look at only. `sluice ui` prints the link; without its token there is
/// nothing to see, on loopback too.
public final class PageHandler implements HttpHandler {
    public static final String PATH = "/ui";

    private static final String PREFIX = PATH + "/";

    private static final Map<String, String> TYPES = Map.of(
            "index.html", "text/html; charset=utf-8",
            "page.js", "text/javascript; charset=utf-8",
            "page.css", "text/css; charset=utf-8");

    private final PageTokens tokens;
    private final PageData data;
    private final InstantSource clock;
    private final Map<String, Response> files = new TreeMap<>();

    public PageHandler(PageTokens tokens, PageData data, InstantSource clock) {
        this.tokens = tokens;
        this.data = data;
        this.clock = clock;
        TYPES.forEach((file, type) -> files.put(file, guarded(Response.text(200, type, read(file)))));
    }

    public static String path(String token) {
        return PREFIX + token + "/";
    }

    @Override
    public Answer answer(RequestHead head) {
        var path = head.path().startsWith(PREFIX) ? head.path().substring(PREFIX.length()) : "";
        int slash = path.indexOf('/');
        var token = slash < 0 ? path : path.substring(0, slash);
        if (!(tokens.verify(token, clock.instant()) instanceof TokenVerdict.Granted)) {
            return guarded(Response.text(
                    403,
                    "text/plain; charset=utf-8",
                    "Open the link that `sluice ui` prints. A link ends after 12 hours.\n"));
        }
        if (slash < 0) {
            return guarded(Response.empty(308).with("Location", path(token)));
        }
        var file = slash == path.length() - 1 ? "index.html" : path.substring(slash + 1);
        if (file.equals("data")) {
            return new Blocking(_ -> data());
        }
        return Optional.ofNullable(files.get(file))
                .orElseGet(() -> guarded(Response.text(404, "text/plain; charset=utf-8", "There is no such page.\n")));
    }

    private Response data() {
        try {
            return guarded(Response.text(200, "application/json", data.get()));
        } catch (StoreException.Unavailable notYet) {
            return guarded(Response.text(503, "text/plain; charset=utf-8", notYet.getMessage() + "\n"));
        }
    }

    /// Nothing from elsewhere runs in the page, and its address, which has the token, goes nowhere.
    private static Response guarded(Response response) {
        return response.with(
                        "Content-Security-Policy",
                        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                                + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
                .with("X-Content-Type-Options", "nosniff")
                .with("Referrer-Policy", "no-referrer")
                .with("Cache-Control", "no-store");
    }

    private static String read(String file) {
        try (var resource = Objects.requireNonNull(PageHandler.class.getResourceAsStream(file))) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
