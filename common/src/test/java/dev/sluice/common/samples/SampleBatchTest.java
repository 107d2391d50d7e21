package dev.sluice.common.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleBatchTest {
    private static SampleBatch parse(String json) {
        return SampleBatch.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aBatchIsReadAndWritten() {
        var batch = parse(
                "{\"samples\":[0,5,1, 1,0,3],\"shards\":[[\"a\",\"x/ä.tar\",\"e1\"],[\"b\",\"y\",null],[\"b\",\"z\"]]}");
        assertThat(batch.shards())
                .containsExactly(
                        new SampleBatch.Shard("a", "x/ä.tar", Optional.of("e1")),
                        new SampleBatch.Shard("b", "y", Optional.empty()),
                        new SampleBatch.Shard("b", "z", Optional.empty()));
        assertThat(batch.items()).containsExactly(new SampleBatch.Item(0, 5, 1), new SampleBatch.Item(1, 0, 3));
        assertThat(batch.count()).isEqualTo(4);
        var judged =
                batch.with(batch.shards().stream().map(shard -> shard.of(7)).toList());
        assertThat(SampleBatch.parse(judged.encode(), true)).isEqualTo(judged);
        assertThatThrownBy(() -> SampleBatch.parse(judged.encode()))
                .as("ids are the nodes' own")
                .isInstanceOf(StoreException.InvalidArgument.class);
        assertThat(parse("{\"shards\":[[\"a\",\"x\"]]}").items()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "^^                                                | an object",
                "[]                                                | an object",
                "{}                                                | one shard or more",
                "{'shards':[]}                                     | one shard or more",
                "{'shards':[['a']]}                                | [bucket, key, etag or null]",
                "{'shards':[['a',null]]}                           | [bucket, key, etag or null]",
                "{'shards':[['a','b','c','d']]}                    | [bucket, key, etag or null]",
                "{'shards':[['a','b',1]]}                          | [bucket, key, etag or null]",
                "{'shards':['a']}                                  | [bucket, key, etag or null]",
                "{'shards':[['a','b']],'samples':[0,0]}            | whole numbers",
                "{'shards':[['a','b']],'samples':[0,0,1.5]}        | whole numbers",
                "{'shards':[['a','b']],'samples':[1,0,1]}          | no shard 1",
                "{'shards':[['a','b']],'samples':[-1,0,1]}         | no shard -1",
                "{'shards':[['a','b']],'samples':[0,-1,1]}         | not negative",
                "{'shards':[['a','b']],'samples':[0,0,0]}          | 1 or more",
                "{'shards':[['a','b']],'samples':[0,2147483647,2]} | so many",
                "{'shards':[['a','b']],'samples':[0,3000000000,1]} | not to be read",
                "{'shards':[['a','b']],'tar':[]}                   | no tar",
                "{'shards':[['a','']]}                             | no such key",
                "{'shards':[['a','b']],'samples':[0,0,1000001]}    | at most 1,000,000",
                "{'shards':[['a','b']]} x                          | not to be read",
                "{'shards':[['a','b']]                             | not to be read",
            })
    void whatIsNoBatchIsRefused(String json, String why) {
        assertThatThrownBy(() -> parse(json.replace('\'', '"')))
                .isInstanceOf(StoreException.InvalidArgument.class)
                .hasMessageContaining(why);
    }

    @Test
    void aFrameIs32Bytes() throws IOException {
        var frame = new SampleFrame(SampleFrame.Kind.SAMPLE, 200, 1L << 40, 3, 4, 0xffff_fff0L, -5);
        var bytes = frame.encode();
        assertThat(bytes.remaining()).isEqualTo(32);
        assertThat(bytes.getInt(0)).isEqualTo(1);
        assertThat(bytes.getInt(4)).isEqualTo(200);
        assertThat(bytes.getLong(8)).isEqualTo(1L << 40);
        assertThat(bytes.getInt(16)).isEqualTo(3);
        assertThat(bytes.getInt(20)).isEqualTo(4);
        assertThat(bytes.getInt(24)).isEqualTo(-16);
        assertThat(bytes.getInt(28)).isEqualTo(-5);
        assertThat(SampleFrame.decode(bytes)).isEqualTo(frame);
        assertThat(List.of(SampleFrame.waiting(1, 2, 3), SampleFrame.end(4)))
                .allSatisfy(
                        each -> assertThat(SampleFrame.decode(each.encode())).isEqualTo(each));
    }
}
