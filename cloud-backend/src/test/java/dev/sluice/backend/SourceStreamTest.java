package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SourceStreamTest {
    private static ByteSource failing(StoreException why) {
        return new ByteSource() {
            @Override
            public ByteBuffer next() {
                throw why;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void whatTheBodyItselfSaidIsNotTakenForTheCloud() {
        var damaged = new StoreException.Damaged("a part has rotted");
        var stream = new SourceStream(failing(damaged));
        stream.part(10);
        assertThatThrownBy(stream::read).isSameAs(damaged);
        assertThat(stream.explain(new IllegalStateException("wrapped by a client")))
                .isSameAs(damaged);
    }

    @Test
    void aBodyThatBreaksOffIsIncomplete() {
        var stream = new SourceStream(Bytes.breakingAfter(3));
        stream.part(10);
        assertThatThrownBy(stream::readAllBytes).isInstanceOf(IOException.class);
        assertThat(stream.explain(new IllegalStateException("wrapped by a client")))
                .isInstanceOf(StoreException.IncompleteBody.class);
    }

    @Test
    void whatTheCloudSaidStays() {
        var stream = new SourceStream(Bytes.source(new byte[3]));
        stream.part(3);
        var said = new IllegalStateException("the cloud's own");
        assertThat(stream.explain(said)).isSameAs(said);
    }
}
