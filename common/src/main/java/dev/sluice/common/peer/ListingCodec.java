package dev.sluice.common.peer;

import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A page of a listing between nodes: of a target's page the three numbers of its cover (int, long, long); then a
/// count, then for each object key and ETag (length as int, UTF-8), size, and
/// time of the last change in milliseconds, big-endian.
public final class ListingCodec {
    private ListingCodec() {}

    public static byte[] encode(TargetPage page) {
        var bytes = new ByteArrayOutputStream(64 * page.objects().size() + 24);
        try (var out = new DataOutputStream(bytes)) {
            out.writeInt(page.cover().slots());
            out.writeLong(page.cover().hash());
            out.writeLong(page.cover().terms());
            write(out, page.objects());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static TargetPage decodePage(byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            var cover = new SlotCover(in.readInt(), in.readLong(), in.readLong());
            return new TargetPage(read(in), cover);
        } catch (IOException e) {
            throw new StoreException.Unavailable("a peer's page of keys is cut short");
        }
    }

    public static byte[] encode(List<ListedObject> page) {
        var bytes = new ByteArrayOutputStream(64 * page.size() + 4);
        try (var out = new DataOutputStream(bytes)) {
            write(out, page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static List<ListedObject> decode(byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            return read(in);
        } catch (IOException e) {
            throw new StoreException.Unavailable("a peer's page of keys is cut short");
        }
    }

    private static void write(DataOutputStream out, List<ListedObject> page) throws IOException {
        out.writeInt(page.size());
        for (var object : page) {
            writeText(out, object.key());
            writeText(out, object.etag());
            out.writeLong(object.size());
            out.writeLong(object.lastModified().toEpochMilli());
        }
    }

    private static List<ListedObject> read(DataInputStream in) throws IOException {
        int count = in.readInt();
        var page = new ArrayList<ListedObject>();
        for (int i = 0; i < count; i++) {
            var key = readText(in);
            var etag = readText(in);
            long size = in.readLong();
            page.add(new ListedObject(key, size, etag, Instant.ofEpochMilli(in.readLong())));
        }
        return page;
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        var utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
