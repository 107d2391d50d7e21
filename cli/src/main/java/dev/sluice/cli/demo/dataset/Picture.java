package dev.sluice.cli.demo.dataset;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/// One training picture: a motif at a random place, angle and size before a grainy gradient, as a JPEG of 4 to 12 KiB.
/// Drawn pixel by pixel, so it needs no display, fonts or native drawing; the same seed gives the same bytes.
record Picture(int width, int height, Bytes jpeg) {
    private static final int SMALLEST = 96;
    private static final int LARGEST = 160;
    private static final float QUALITY = 0.86f;

    static Picture of(Motif motif, long seed) throws IOException {
        var random = new SplittableRandom(seed);
        int width = random.nextInt(SMALLEST, LARGEST + 1);
        int height = random.nextInt(SMALLEST, LARGEST + 1);
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Scene scene = Scene.random(random);
        // Larger pictures get less grain, which keeps the files within one order of size.
        double grain = 33.0 * SMALLEST * SMALLEST / (width * height) + 8;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double u = 2.0 * x / width - 1;
                double v = 2.0 * y / height - 1;
                image.setRGB(x, y, scene.colour(motif, u, v, (random.nextDouble() - 0.5) * grain));
            }
        }
        return new Picture(width, height, encode(image));
    }

    private static Bytes encode(BufferedImage image) throws IOException {
        var writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        var bytes = new ByteArrayOutputStream(16 << 10);
        try (var out = new MemoryCacheImageOutputStream(bytes)) {
            writer.setOutput(out);
            var settings = writer.getDefaultWriteParam();
            settings.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            settings.setCompressionQuality(QUALITY);
            writer.write(null, new IIOImage(image, null, null), settings);
        } finally {
            writer.dispose();
        }
        return new Bytes(bytes.toByteArray());
    }

    /// Where the motif stands and the three colours: two of the background's gradient, one of the motif.
    private record Scene(double x, double y, double cos, double sin, double scale, int from, int to, int front) {
        static Scene random(SplittableRandom random) {
            double angle = random.nextDouble(2 * Math.PI);
            return new Scene(
                    random.nextDouble(-0.25, 0.25),
                    random.nextDouble(-0.25, 0.25),
                    Math.cos(angle),
                    Math.sin(angle),
                    random.nextDouble(0.55, 0.95),
                    random.nextInt(1 << 24) & 0x7f7f7f,
                    random.nextInt(1 << 24) & 0x7f7f7f,
                    random.nextInt(1 << 24) | 0x808080);
        }

        int colour(Motif motif, double u, double v, double grain) {
            double dx = (u - x) / scale;
            double dy = (v - y) / scale;
            double edge = motif.inside(dx * cos - dy * sin, dx * sin + dy * cos);
            double cover = Math.clamp(edge * 30 + 0.5, 0.0, 1.0);
            double blend = (u + v + 2) / 4;
            int rgb = 0;
            for (int shift = 16; shift >= 0; shift -= 8) {
                double back = channel(from, shift) * (1 - blend) + channel(to, shift) * blend;
                double value = back * (1 - cover) + channel(front, shift) * cover + grain;
                rgb |= (int) Math.clamp(value, 0.0, 255.0) << shift;
            }
            return rgb;
        }

        private static int channel(int rgb, int shift) {
            return rgb >> shift & 0xff;
        }
    }
}
