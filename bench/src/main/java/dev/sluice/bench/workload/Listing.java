package dev.sluice.bench.workload;

import dev.sluice.bench.load.Step;
import dev.sluice.bench.load.Workload;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Every connection lists the whole prefix, page after page, and then begins again.
public final class Listing implements Workload {
    private static final int PAGE = 1_000;

    private final KeySpace keys;

    public Listing(KeySpace keys) {
        this.keys = keys;
    }

    @Override
    public Session session(int connection) {
        return new Cursor();
    }

    private final class Cursor implements Session {
        private Optional<String> token = Optional.empty();

        @Override
        public Optional<Step> next() {
            String from = token.map(each -> "continuation-token=" + encode(each) + "&")
                    .orElse("");
            return Optional.of(Step.list(
                    keys.bucketPath(), from + "list-type=2&max-keys=" + PAGE + "&prefix=" + encode(keys.prefix())));
        }

        @Override
        public int listed(String page) {
            token = between(page, "<NextContinuationToken>", "</NextContinuationToken>");
            int count = 0;
            for (int at = page.indexOf("<Key>"); at >= 0; at = page.indexOf("<Key>", at + 1)) {
                count++;
            }
            return count;
        }
    }

    private static Optional<String> between(String text, String before, String after) {
        int from = text.indexOf(before);
        int to = text.indexOf(after, Math.max(from, 0));
        return from < 0 || to < 0
                ? Optional.empty()
                : Optional.of(unescape(text.substring(from + before.length(), to)));
    }

    private static String unescape(String xml) {
        return xml.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#34;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }

    /// As signatures want it: everything but letters, digits and `-_.~` encoded.
    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
