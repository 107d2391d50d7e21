package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A drive that an older build made is refused in one line, and stays as it is.
class DrivesOfOlderBuildsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void drivesOfAnOlderFormatAreRefusedAndNotChanged(int format) throws IOException {
        var drives = used(2);
        for (var drive : drives) {
            giveFormat(drive, format);
        }
        requireRefusedUnchanged(drives);
    }

    /// It is not taken for a missing drive, nor for a blank one.
    @Test
    void oneDriveOfAnOlderFormatStopsTheStart() throws IOException {
        var drives = used(3);
        giveFormat(drives.getLast(), 2);
        requireRefusedUnchanged(drives);
    }

    @Test
    void driveOfAnOlderFormatWithoutObjectsIsNotTakenForABlankOne() throws IOException {
        var drives = drives(folder, 1);
        open(drives).close();
        giveFormat(drives.getFirst(), 2);
        requireRefusedUnchanged(drives);
    }

    private List<Path> used(int count) throws IOException {
        var drives = drives(folder, count);
        try (var store = open(drives)) {
            for (int i = 0; i < 10; i++) {
                put(store, "key" + i, new byte[10]);
            }
        }
        return drives;
    }

    private void requireRefusedUnchanged(List<Path> drives) throws IOException {
        var before = tree();
        assertThatThrownBy(() -> open(drives).close())
                .isInstanceOf(DriveRefusedException.class)
                .message()
                .contains("drive.json", "older build", "start with empty drives, or copy the objects out first")
                .doesNotContain("\n");
        assertThat(tree()).isEqualTo(before);
    }

    /// Each file with its bytes, each folder, and when they changed.
    private SortedMap<String, String> tree() throws IOException {
        var tree = new TreeMap<String, String>();
        try (var below = Files.walk(folder)) {
            for (var path : below.toList()) {
                var content = Files.isDirectory(path) ? "" : HexFormat.of().formatHex(Files.readAllBytes(path));
                tree.put(path.toString(), Files.getLastModifiedTime(path) + " " + content);
            }
        }
        return tree;
    }

    private static void giveFormat(Path drive, int format) throws IOException {
        var file = drive.resolve(".sluice/drive.json");
        var json = new ObjectMapper();
        var identity = (ObjectNode) json.readTree(file.toFile());
        identity.put("format", format).remove("checksum");
        var crc = new CRC32C();
        crc.update(json.writeValueAsBytes(identity));
        Files.write(file, json.writeValueAsBytes(identity.put("checksum", "%08x".formatted(crc.getValue()))));
    }
}
