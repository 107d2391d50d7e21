package dev.sluice.targetnode.storage.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.spread.Copies;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import dev.sluice.targetnode.storage.spread.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableFileTest {
    private static final DriveTable TABLE = new DriveTable(
            1795247577229L,
            502,
            new TreeMap<>(Map.of(
                    "d1", new Member("/mnt/disk1", 251, true, false, false),
                    "d2", new Member("/mnt/disk2", 251, true, true, false),
                    "d3", new Member("", 100, false, false, true))),
            new Spread(Map.of("d1", 251L)),
            Set.of(new Spread(Map.of("d1", 251L, "d2", 251L)), new Spread(Map.of("d3", 100L))),
            new TreeMap<>(Map.of(7L, new Copies(2, 1, 3))),
            new TreeSet<>(Set.of("/mnt/old")));

    /// As version 1 of the format is on drives: what reads it must always be able to.
    private static final String GOLDEN = """
            {
              "format" : 1,
              "version" : 1795247577229,
              "formed_weight" : 502,
              "members" : {
                "d1" : {
                  "path" : "/mnt/disk1",
                  "weight" : 251,
                  "mount" : true,
                  "disabled" : false,
                  "leaving" : false
                },
                "d2" : {
                  "path" : "/mnt/disk2",
                  "weight" : 251,
                  "mount" : true,
                  "disabled" : true,
                  "leaving" : false
                },
                "d3" : {
                  "path" : "",
                  "weight" : 100,
                  "mount" : false,
                  "disabled" : false,
                  "leaving" : true
                }
              },
              "current" : {
                "d1" : 251
              },
              "earlier" : [ {
                "d1" : 251,
                "d2" : 251
              }, {
                "d3" : 100
              } ],
              "copies" : {
                "7" : {
                  "wanted" : 2,
                  "least" : 1,
                  "most" : 3
                }
              },
              "detached" : [ "/mnt/old" ],
              "asked" : [ [ "d1", "d2" ], [ "d3" ] ],
              "checksum" : "CHECKSUM"
            }""";

    @TempDir
    private Path drive;

    private DriveThreads threads;

    @BeforeEach
    void begin() throws IOException {
        threads = new DriveThreads("test", 1, 1);
        Files.createDirectories(drive.resolve(".sluice"));
    }

    @AfterEach
    void end() {
        threads.close();
    }

    private Path file() {
        return drive.resolve(".sluice/drives.json");
    }

    private Optional<TableFile.Copy> read() throws Exception {
        return Await.io(threads.start(() -> new TableFile(drive).read()));
    }

    private void write() throws Exception {
        Await.io(threads.startStep(() -> new TableFile(drive).write(TABLE, Set.of(Set.of("d2", "d1"), Set.of("d3")))));
    }

    @Test
    void aTableIsReadAsItWasWritten() throws Exception {
        assertThat(read()).isEmpty();
        write();
        assertThat(read()).contains(new TableFile.Copy(TABLE, Set.of(Set.of("d1", "d2"), Set.of("d3"))));
    }

    @Test
    void theFormatIsWhatItAlwaysWas() throws Exception {
        write();
        var text = Files.readString(file());
        assertThat(text.replaceFirst("\"checksum\" : \"[0-9a-f]{8}\"", "\"checksum\" : \"CHECKSUM\""))
                .isEqualTo(GOLDEN);
        assertThat(text).contains("\"checksum\" : \"00924fb2\"");
    }

    @Test
    void noDamageGoesUnseen() throws Exception {
        write();
        var good = Files.readAllBytes(file());
        for (int i = 0; i < good.length; i++) {
            var bad = good.clone();
            bad[i] ^= 1;
            Files.write(file(), bad);
            var found = changed();
            assertThat(found.isEmpty() || found.get().table().equals(TABLE))
                    .as("byte %d", i)
                    .isTrue();
        }
        Files.write(file(), new byte[0]);
        assertThatThrownBy(this::read).isInstanceOf(ChecksummedJson.DamagedException.class);
    }

    /// What is read, unless it is found damaged or too new.
    private Optional<TableFile.Copy> changed() throws Exception {
        try {
            return read();
        } catch (ChecksummedJson.DamagedException | DriveRefusedException _) {
            return Optional.empty();
        }
    }
}
