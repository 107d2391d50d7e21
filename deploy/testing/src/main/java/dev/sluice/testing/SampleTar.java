package dev.sluice.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;

/// A shard, and the bytes of each of its samples.
public final class SampleTar {
    private static final int BLOCK = 512;

    private final byte[] bytes;
    private final List<byte[]> samples;

    private SampleTar(byte[] bytes, List<byte[]> samples) {
        this.bytes = bytes;
        this.samples = samples;
    }

    /// @param largest an image's size at most
    public static SampleTar of(int samples, int largest, long seed) {
        var random = new Random(seed);
        var all = new ByteArrayOutputStream();
        var each = new ArrayList<byte[]>();
        for (int i = 0; i < samples; i++) {
            var image = new byte[random.nextInt(largest + 1)];
            random.nextBytes(image);
            var sample = new ByteArrayOutputStream();
            add(sample, "train/%06d.img".formatted(i), image);
            add(sample, "train/%06d.cls".formatted(i), Integer.toString(i).getBytes(StandardCharsets.UTF_8));
            each.add(sample.toByteArray());
            all.writeBytes(sample.toByteArray());
        }
        all.writeBytes(new byte[2 * BLOCK]);
        return new SampleTar(all.toByteArray(), List.copyOf(each));
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public List<byte[]> samples() {
        return samples;
    }

    public int crc32(int sample) {
        var crc = new CRC32();
        crc.update(samples.get(sample));
        return (int) crc.getValue();
    }

    private static void add(ByteArrayOutputStream tar, String name, byte[] content) {
        var header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 124, "%011o".formatted(content.length));
        header[156] = '0';
        Arrays.fill(header, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        tar.writeBytes(header);
        tar.writeBytes(Arrays.copyOf(content, (content.length + BLOCK - 1) / BLOCK * BLOCK));
    }

    private static void put(byte[] block, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
