package dev.sluice.targetnode.replica.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EnvelopeCodecTest {
    private static final ObjectKey KEY = new ObjectKey(1L << 40, "train/caf\u00e9 \ud83d\ude00.tar");
    private static final ObjectKey OTHER = new ObjectKey(7, "");
    private static final ObjectVersion VERSION = new ObjectVersion(9, Long.MAX_VALUE);
    private static final ObjectVersion BASE = new ObjectVersion(8, (3L << 32) + 1);
    private static final ObjectVersion MARK = new ObjectVersion(9, 1);
    private static final Learning LEARNING = new Learning(5, 6, Integer.MAX_VALUE);

    /// Each kind, with each of its parts there and missing.
    private static final List<Message> MESSAGES = List.of(
            new Message.Prepare(9, KEY, VERSION, false, 23, Optional.of(BASE), MARK),
            new Message.Prepare(9, KEY, VERSION, true, 0, Optional.empty(), MARK),
            new Message.Arriving(1L << 40, "a name", 5, Long.MAX_VALUE),
            new Message.Prepared(9, KEY, VERSION),
            new Message.Refused(9, KEY, VERSION),
            new Message.Fate(9, KEY, VERSION, true, false, MARK),
            new Message.Fate(9, KEY, VERSION, false, true, MARK),
            new Message.FateKnown(9, KEY, VERSION, true),
            new Message.FateKnown(9, KEY, VERSION, false),
            new Message.Fence(Long.MAX_VALUE),
            new Message.Fenced(9, 3, List.of()),
            new Message.Fenced(
                    9, 3, List.of(new OpenIntent(KEY, VERSION, true, 0), new OpenIntent(OTHER, BASE, false, 7))),
            new Message.AskVersions(9, List.of(KEY, OTHER)),
            new Message.Versions(9, 3, List.of(KEY, OTHER), List.of(new KeyVersion(OTHER, BASE, Slice.NONE))),
            new Message.AskListing(LEARNING, KeyRange.ALL),
            new Message.AskListing(LEARNING, new KeyRange(Optional.of(OTHER), Optional.empty())),
            new Message.Listing(
                    LEARNING,
                    new Page(
                            new KeyRange(Optional.empty(), Optional.of(KEY)),
                            List.of(new KeyVersion(OTHER, BASE, 0), new KeyVersion(KEY, VERSION, 23)))),
            new Message.AskRow(LEARNING, KEY),
            new Message.Learned(LEARNING));

    private static Envelope envelope(Message message) {
        return new Envelope(64, 65_535, "drive a", "drive b", message, Optional.empty());
    }

    @Test
    void everyKindIsReadAsItWasWritten() throws IOException {
        var kinds = new HashSet<>();
        for (var message : MESSAGES) {
            kinds.add(message.getClass());
            assertThat(EnvelopeCodec.decode(EnvelopeCodec.encode(envelope(message))))
                    .isEqualTo(envelope(message));
        }
        assertThat(kinds).containsExactlyInAnyOrder((Object[]) Message.class.getPermittedSubclasses());
    }

    @Test
    void attachedObjectIsReadAsItWasWritten() throws IOException {
        var record = new byte[] {1, 2, 3};
        for (var content :
                List.of(Optional.of(new byte[] {4, 5}), Optional.of(new byte[0]), Optional.<byte[]>empty())) {
            var name = content.map(bytes -> "name" + bytes.length);
            var sent = new Envelope(
                    1, 2, "a", "b", MESSAGES.getFirst(), Optional.of(new Envelope.Attached(record, content, name)));
            var read = EnvelopeCodec.decode(EnvelopeCodec.encode(sent));
            assertThat(read.message()).isEqualTo(sent.message());
            var attached = read.attached().orElseThrow();
            assertThat(attached.record()).isEqualTo(record);
            assertThat(attached.arrivedAs()).isEqualTo(name);
            assertThat(attached.content().isPresent()).isEqualTo(content.isPresent());
            content.ifPresent(
                    bytes -> assertThat(attached.content().orElseThrow()).isEqualTo(bytes));
        }
    }

    @Test
    void bytesThatWereCutOrChangedAreRefused() {
        var random = new Random(3);
        for (var message : MESSAGES) {
            var good = EnvelopeCodec.encode(envelope(message));
            for (int length = 0; length < good.length; length++) {
                var cut = Arrays.copyOf(good, length);
                assertThatThrownBy(() -> EnvelopeCodec.decode(cut)).isInstanceOf(IOException.class);
            }
            var changed = good.clone();
            changed[random.nextInt(good.length)] ^= (byte) (1 << random.nextInt(8));
            assertThatThrownBy(() -> EnvelopeCodec.decode(changed)).isInstanceOf(IOException.class);
        }
    }

    /// The checksum holds: only what is read says that it is wrong.
    @Test
    void malformedBytesUnderAGoodChecksumAreRefused() {
        var unknown =
                new PackedWriter(1).number(1).number(2).text("a").text("b").number(15);
        assertThatThrownBy(() -> EnvelopeCodec.decode(unknown.sealed()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("unknown kind 15");
        var endless = new PackedWriter(1).number(1).number(2).text("a").text("b");
        endless.number(10).number(5).number(6).number(7).number(Long.MAX_VALUE);
        assertThatThrownBy(() -> EnvelopeCodec.decode(endless.sealed())).isInstanceOf(IOException.class);
        var random = new Random(4);
        for (int run = 0; run < 10_000; run++) {
            var writer =
                    new PackedWriter(1).number(1).number(2).text("a").text("b").number(random.nextInt(16));
            for (int part = random.nextInt(12); part > 0; part--) {
                writer.number(random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(3));
            }
            var bytes = writer.sealed();
            var failure = catchThrowable(() -> EnvelopeCodec.decode(bytes));
            assertThat(failure == null || failure instanceof IOException)
                    .as("run %d: %s", run, failure)
                    .isTrue();
        }
    }
}
