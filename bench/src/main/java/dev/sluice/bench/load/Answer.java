package dev.sluice.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/// One answer as it comes in: counted, and its bytes let go, except for a listing's page. One thread at a time.
final class Answer {
    private static final int SERVICE_UNAVAILABLE = 503;

    private final Step step;
    private final Body expected;
    private final boolean checkContent;
    private final CRC32C crc = new CRC32C();
    private final StringBuilder page = new StringBuilder();
    private int status;
    private long length;
    private boolean keepAlive = true;

    Answer(Step step, Body expected, boolean checkContent) {
        this.step = step;
        this.expected = expected;
        this.checkContent = checkContent && step.verb() == Step.Verb.GET;
    }

    void head(HttpResponse head) {
        status = head.status().code();
        keepAlive = HttpUtil.isKeepAlive(head);
        length = step.verb() == Step.Verb.HEAD ? HttpUtil.getContentLength(head, 0L) : 0;
    }

    void content(ByteBuf bytes) {
        length += bytes.readableBytes();
        if (checkContent) {
            crc.update(bytes.nioBuffer());
        }
        if (step.verb() == Step.Verb.LIST) {
            page.append(bytes.toString(StandardCharsets.UTF_8));
        }
    }

    boolean isInformational() {
        return status / 100 == 1;
    }

    boolean isOverload() {
        return status == SERVICE_UNAVAILABLE;
    }

    boolean keepAlive() {
        return keepAlive;
    }

    /// Bytes of body, for HEAD none.
    long bodyLength() {
        return step.verb() == Step.Verb.HEAD ? 0 : length;
    }

    String page() {
        return page.toString();
    }

    /// Why the answer is not what was asked for; empty if it is.
    Optional<String> fault() {
        if (!step.verb().accepts(status)) {
            return Optional.of("status " + status);
        }
        if (step.answerLength() != Step.ANY_LENGTH && step.answerLength() != length) {
            return Optional.of("wrong length");
        }
        return checkContent && crc.getValue() != expected.crc32c() ? Optional.of("wrong content") : Optional.empty();
    }
}
