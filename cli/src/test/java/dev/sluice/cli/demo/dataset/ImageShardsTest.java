package dev.sluice.cli.demo.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageShardsTest {
    private final ImageShards images = new ImageShards(42, 3, 40);

    @TempDir
    Path folder;

    @Test
    void theSeedDecidesEveryByte() throws IOException {
        Path once = folder.resolve("once.tar");
        Path again = folder.resolve("again.tar");
        Path other = folder.resolve("other.tar");
        var manifest = images.write(1, once);
        assertThat(images.write(1, again)).isEqualTo(manifest);
        assertThat(again).hasSameBinaryContentAs(once);
        assertThat(new ImageShards(43, 3, 40).write(1, other).digests()).isNotEqualTo(manifest.digests());
        assertThat(manifest.bytes()).isEqualTo(Files.size(once));
    }

    @Test
    void shardsShareNoSample() throws IOException {
        Set<String> keys = new HashSet<>();
        Set<String> digests = new HashSet<>();
        for (int shard = 0; shard < images.shards(); shard++) {
            var manifest = images.write(shard, folder.resolve(images.key(shard)));
            keys.addAll(manifest.digests().keySet());
            digests.addAll(manifest.digests().values());
        }
        assertThat(keys).hasSize(3 * 40);
        assertThat(digests).hasSize(3 * 40);
    }

    @Test
    void everyRecordIsAPictureItsLabelAndItsDigest() throws IOException {
        Set<String> labels = new HashSet<>();
        for (int number = 0; number < 200; number++) {
            Sample sample = Sample.render(42, number);
            var image = ImageIO.read(new ByteArrayInputStream(sample.jpeg().copy()));
            assertThat(image.getWidth()).isBetween(96, 160);
            assertThat(image.getHeight()).isBetween(96, 160);
            assertThat(sample.jpeg().length()).as("sample %d", number).isBetween(4 << 10, 12 << 10);
            String digest = Sample.sha256(List.of(sample.jpeg(), sample.label()));
            assertThat(new String(sample.description().copy(), StandardCharsets.UTF_8))
                    .contains(digest);
            labels.add(new String(sample.label().copy(), StandardCharsets.UTF_8));
        }
        assertThat(labels).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    }

    @Test
    void theGalleryShowsEveryClass() throws IOException {
        assertThat(images.gallery()).containsOnlyKeys(Motif.values());
    }
}
