package dev.sluice.targetnode.storage.multipart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.record.Part;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CompletedPartsTest {
    @Test
    void theEtagIsTheMd5OfMd5s() {
        // md5(md5("hello") ‖ md5("world")), from Python's hashlib
        var parts = List.of(part(1, "5d41402abc4b2a76b9719d911017c592"), part(2, "7d793037a0760186574b0282f2f435e7"));
        assertThat(CompletedParts.etag(parts)).isEqualTo("065947336a2f2a95ba8899f3675c3be6-2");
    }

    private static Part part(int number, String etag) {
        return new Part(number, 5, etag, Map.of(), 0, Part.SHARED, 0, BlockSums.of(number));
    }
}
