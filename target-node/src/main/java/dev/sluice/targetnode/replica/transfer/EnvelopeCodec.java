package dev.sluice.targetnode.replica.transfer;

import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.storage.record.DamagedRecordException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.PackedReader;
import dev.sluice.targetnode.storage.record.PackedWriter;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An [Envelope] as bytes: format, group, slot, drives, the kind of the message, its components in order, checksum.
public final class EnvelopeCodec {
    private static final int FORMAT = 4;
    private static final int PREPARE = 1;
    private static final int PREPARED = 2;
    private static final int REFUSED = 3;
    private static final int FATE = 4;
    private static final int FATE_KNOWN = 5;
    private static final int FENCE = 6;
    private static final int FENCED = 7;
    private static final int ASK_VERSIONS = 8;
    private static final int VERSIONS = 9;
    private static final int ASK_LISTING = 10;
    private static final int LISTING = 11;
    private static final int ASK_ROW = 12;
    private static final int LEARNED = 13;
    private static final int ARRIVING = 14;

    private EnvelopeCodec() {}

    public static byte[] encode(Envelope envelope) {
        var out = new PackedWriter(FORMAT)
                .number(envelope.group())
                .number(envelope.slot())
                .text(envelope.from())
                .text(envelope.to());
        write(out, envelope.message());
        out.flag(envelope.attached().isPresent());
        envelope.attached().ifPresent(attached -> {
            out.bytes(attached.record()).flag(attached.content().isPresent());
            attached.content().ifPresent(out::bytes);
            out.flag(attached.arrivedAs().isPresent());
            attached.arrivedAs().ifPresent(out::text);
        });
        return out.sealed();
    }

    public static Envelope decode(byte[] bytes) throws IOException {
        var in = new PackedReader("a message from another replica", bytes, FORMAT);
        int group = (int) in.number();
        int slot = (int) in.number();
        return new Envelope(group, slot, in.text(), in.text(), message(in), attached(in));
    }

    private static Optional<Envelope.Attached> attached(PackedReader in) throws IOException {
        return in.flag()
                ? Optional.of(new Envelope.Attached(
                        in.bytes(),
                        in.flag() ? Optional.of(in.bytes()) : Optional.empty(),
                        in.flag() ? Optional.of(in.text()) : Optional.empty()))
                : Optional.empty();
    }

    private static void write(PackedWriter out, Message message) {
        switch (message) {
            case Message.Prepare prepare -> {
                out.number(PREPARE).number(prepare.epoch());
                key(out, prepare.key())
                        .version(prepare.version())
                        .flag(prepare.delete())
                        .number(prepare.position());
                version(out, prepare.base()).version(prepare.settledBelow());
            }
            case Message.Arriving(var bucketId, var name, var position, var size) ->
                out.number(ARRIVING)
                        .number(bucketId)
                        .text(name)
                        .number(position)
                        .number(size);
            case Message.Prepared(var epoch, var key, var version) ->
                key(out.number(PREPARED).number(epoch), key).version(version);
            case Message.Refused(var epoch, var key, var version) ->
                key(out.number(REFUSED).number(epoch), key).version(version);
            case Message.Fate fate ->
                key(out.number(FATE).number(fate.epoch()), fate.key())
                        .version(fate.version())
                        .flag(fate.commit())
                        .flag(fate.sync())
                        .version(fate.settledBelow());
            case Message.FateKnown(var epoch, var key, var version, var synced) ->
                key(out.number(FATE_KNOWN).number(epoch), key).version(version).flag(synced);
            case Message.Fence(var epoch) -> out.number(FENCE).number(epoch);
            case Message.Fenced(var epoch, var incarnation, var open) -> {
                out.number(FENCED).number(epoch).number(incarnation).number(open.size());
                open.forEach(intent -> key(out, intent.key())
                        .version(intent.version())
                        .flag(intent.delete())
                        .number(intent.position()));
            }
            case Message.AskVersions(var epoch, var keys) ->
                keys(out.number(ASK_VERSIONS).number(epoch), keys);
            case Message.Versions(var epoch, var incarnation, var keys, var rows) ->
                rows(keys(out.number(VERSIONS).number(epoch).number(incarnation), keys), rows);
            case Message.AskListing(var learning, var range) ->
                range(learning(out.number(ASK_LISTING), learning), range);
            case Message.Listing(var learning, var page) ->
                rows(range(learning(out.number(LISTING), learning), page.range()), page.rows());
            case Message.AskRow(var learning, var key) -> key(learning(out.number(ASK_ROW), learning), key);
            case Message.Learned(var learning) -> learning(out.number(LEARNED), learning);
        }
    }

    private static Message message(PackedReader in) throws IOException {
        int kind = (int) in.number();
        return switch (kind) {
            case PREPARE ->
                new Message.Prepare(
                        in.number(),
                        key(in),
                        in.version(),
                        in.flag(),
                        (int) in.number(),
                        optionalVersion(in),
                        in.version());
            case ARRIVING -> new Message.Arriving(in.number(), in.text(), (int) in.number(), in.number());
            case PREPARED -> new Message.Prepared(in.number(), key(in), in.version());
            case REFUSED -> new Message.Refused(in.number(), key(in), in.version());
            case FATE -> new Message.Fate(in.number(), key(in), in.version(), in.flag(), in.flag(), in.version());
            case FATE_KNOWN -> new Message.FateKnown(in.number(), key(in), in.version(), in.flag());
            case FENCE -> new Message.Fence(in.number());
            case FENCED ->
                new Message.Fenced(
                        in.number(),
                        (int) in.number(),
                        list(in, () -> new OpenIntent(key(in), in.version(), in.flag(), (int) in.number())));
            case ASK_VERSIONS -> new Message.AskVersions(in.number(), keys(in));
            case VERSIONS -> new Message.Versions(in.number(), (int) in.number(), keys(in), rows(in));
            case ASK_LISTING -> new Message.AskListing(learning(in), range(in));
            case LISTING -> new Message.Listing(learning(in), new Page(range(in), rows(in)));
            case ASK_ROW -> new Message.AskRow(learning(in), key(in));
            case LEARNED -> new Message.Learned(learning(in));
            default -> throw new DamagedRecordException("a message of an unknown kind " + kind);
        };
    }

    // ---- parts

    private static PackedWriter key(PackedWriter out, ObjectKey key) {
        return out.number(key.bucketId()).text(key.key());
    }

    private static ObjectKey key(PackedReader in) throws IOException {
        return new ObjectKey(in.number(), in.text());
    }

    private static PackedWriter keys(PackedWriter out, List<ObjectKey> keys) {
        out.number(keys.size());
        keys.forEach(key -> key(out, key));
        return out;
    }

    private static List<ObjectKey> keys(PackedReader in) throws IOException {
        return list(in, () -> key(in));
    }

    private static PackedWriter rows(PackedWriter out, List<KeyVersion> rows) {
        out.number(rows.size());
        rows.forEach(row -> key(out, row.key()).version(row.version()).number(row.position() - Slice.NONE));
        return out;
    }

    private static List<KeyVersion> rows(PackedReader in) throws IOException {
        return list(in, () -> new KeyVersion(key(in), in.version(), (int) in.number() + Slice.NONE));
    }

    private static PackedWriter version(PackedWriter out, Optional<ObjectVersion> version) {
        out.flag(version.isPresent());
        version.ifPresent(out::version);
        return out;
    }

    private static Optional<ObjectVersion> optionalVersion(PackedReader in) throws IOException {
        return in.flag() ? Optional.of(in.version()) : Optional.empty();
    }

    private static PackedWriter range(PackedWriter out, KeyRange range) {
        out.flag(range.after().isPresent());
        range.after().ifPresent(key -> key(out, key));
        out.flag(range.last().isPresent());
        range.last().ifPresent(key -> key(out, key));
        return out;
    }

    private static KeyRange range(PackedReader in) throws IOException {
        return new KeyRange(
                in.flag() ? Optional.of(key(in)) : Optional.empty(),
                in.flag() ? Optional.of(key(in)) : Optional.empty());
    }

    private static PackedWriter learning(PackedWriter out, Learning learning) {
        return out.number(learning.primarySince()).number(learning.since()).number(learning.incarnation());
    }

    private static Learning learning(PackedReader in) throws IOException {
        return new Learning(in.number(), in.number(), (int) in.number());
    }

    private interface Part<T> {
        T read() throws IOException;
    }

    private static <T> List<T> list(PackedReader in, Part<T> part) throws IOException {
        var list = new ArrayList<T>();
        for (long left = in.number(); left > 0; left--) {
            list.add(part.read());
        }
        return list;
    }
}
