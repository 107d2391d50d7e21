package dev.sluice.cli.demo.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarTest {
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    TarTest() {
        var random = new Random(7);
        for (int size : new int[] {0, 1, 511, 512, 513, 10_000}) {
            var content = new byte[size];
            random.nextBytes(content);
            files.put("folder/%05d.jpg".formatted(size), content);
        }
        files.put("straße.txt", "ü".getBytes(UTF_8));
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        assertThat(read(archive())).usingRecursiveComparison().isEqualTo(files);
    }

    @Test
    void theTarProgramReadsWhatWeWrite(@TempDir Path folder) throws Exception {
        Path archive = Files.write(folder.resolve("ours.tar"), archive());
        run(folder, "tar", "-xf", archive.toString());
        for (var each : files.entrySet()) {
            assertThat(folder.resolve(each.getKey())).hasBinaryContent(each.getValue());
        }
    }

    @Test
    void weReadWhatTheTarProgramWrites(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("folder"));
        for (var each : files.entrySet()) {
            Files.write(folder.resolve(each.getKey()), each.getValue());
        }
        var command = new ArrayList<>(List.of("tar", "--format=ustar", "-cf", "theirs.tar"));
        command.addAll(files.keySet());
        run(folder, command.toArray(String[]::new));
        assertThat(read(Files.readAllBytes(folder.resolve("theirs.tar"))))
                .usingRecursiveComparison()
                .isEqualTo(files);
    }

    @Test
    void anArchiveCutAnywhereIsAnError() throws IOException {
        byte[] whole = archive();
        for (int length = 0; length < whole.length - 2 * TarHeader.BLOCK; length += 97) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> read(cut)).as("cut to %d", length).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aDamagedHeaderIsAnError() throws IOException {
        byte[] archive = archive();
        archive[3] ^= 1;
        assertThatThrownBy(() -> read(archive)).isInstanceOf(IOException.class).hasMessageContaining("checksum");
    }

    private byte[] archive() throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var tar = new TarWriter(bytes)) {
            for (var each : files.entrySet()) {
                tar.add(each.getKey(), new Bytes(each.getValue()));
            }
        }
        return bytes.toByteArray();
    }

    private static Map<String, byte[]> read(byte[] archive) throws IOException {
        var found = new LinkedHashMap<String, byte[]>();
        try (var tar = new TarReader(new ByteArrayInputStream(archive))) {
            for (var entry = tar.next(); entry.isPresent(); entry = tar.next()) {
                found.put(entry.get().name(), entry.get().content().copy());
            }
        }
        return found;
    }

    private static void run(Path folder, String... command) throws Exception {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/tar")) || Files.isExecutable(Path.of("/bin/tar")), "needs tar");
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
