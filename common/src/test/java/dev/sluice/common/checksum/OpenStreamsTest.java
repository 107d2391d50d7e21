package dev.sluice.common.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OpenStreamsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10); // a clock may overflow
    private final OpenStreams streams = new OpenStreams(now::get);

    @Test
    void streamsCountUntilTheyAreClosed() {
        var first = streams.open();
        var second = streams.open();
        assertThat(streams.moving()).isEqualTo(2);
        second.close();
        second.close();
        assertThat(streams.moving()).isEqualTo(1);
        first.close();
        assertThat(streams.moving()).isZero();
    }

    @Test
    void whatStandsStillDoesNotCount() {
        var stuck = new ArrayList<OpenStreams.Stream>();
        for (int i = 0; i < 500; i++) {
            stuck.add(streams.open());
        }
        var moving = streams.open();
        now.addAndGet(OpenStreams.RESTS_AFTER_NANOS);
        assertThat(streams.moving()).isEqualTo(501);
        moving.moved();
        now.addAndGet(OpenStreams.RESTS_AFTER_NANOS * 3 / 4);
        assertThat(streams.moving()).isEqualTo(1);
        stuck.getFirst().moved();
        stuck.getFirst().moved();
        assertThat(streams.moving()).isEqualTo(2);
        stuck.forEach(OpenStreams.Stream::close);
        assertThat(streams.moving()).isEqualTo(1);
        moving.close();
        assertThat(streams.moving()).isZero();
    }
}
