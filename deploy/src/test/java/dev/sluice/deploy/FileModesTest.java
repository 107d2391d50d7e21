package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Modes of all that a cluster writes, started by a shell whose mask takes nothing away.
final class FileModesTest {
    private static final String KEY = "folder/k";

    @TempDir
    private Path folder;

    private Path dir = Path.of("");
    private Path drives = Path.of("");

    @BeforeEach
    void choose() {
        dir = folder.resolve("above/cluster");
        drives = folder.resolve("disk");
    }

    @Tag("long") // PlainFilesTest has a short form
    @Test
    void everythingIsForTheOwnerOnlyWhateverTheMask() throws IOException {
        FileModes.requireRunOfOwner(run(""));
        FileModes.requireOwners(folder.resolve("above"));
        FileModes.requireOnlyOwners(drives.resolve("target001"), "objects/modes/" + KEY, ".sluice/index/CURRENT");
    }

    @Tag("long")
    @Test
    void fileModeOpensTheDrivesAndNotTheSettings() throws IOException {
        run("file_mode = \"0640\"");
        assertThat(FileModes.in(dir))
                .containsEntry("", "drwx------")
                .containsEntry("keys.toml", "rw-------")
                .containsEntry("sluice.toml", "rw-------")
                .containsEntry("log", "drwx------")
                .containsEntry("run", "drwx------");
        assertThat(FileModes.in(drives.resolve("target001")))
                .containsEntry("", "drwxr-x---")
                .containsEntry("objects/modes/folder", "drwxr-x---")
                .containsEntry("objects/modes/" + KEY, "rw-r-----");
        assertThat(FileModes.in(drives.resolve("target001")).values())
                .isSubsetOf("rw-------", "rw-r-----", "drwxr-x---");
    }

    /// A cluster comes, stores an object and goes.
    ///
    /// @return the modes in DIR/run, whose files go with it
    private Map<String, String> run(String setting) throws IOException {
        Files.createDirectory(drives);
        var settings = Files.writeString(
                folder.resolve("mine.toml"),
                "[cluster]%ntargets = 1%ndrives = 1%ndrive_roots = [\"%s\"]%n[storage]%n%s%n"
                        .formatted(drives, setting));
        var mask = FileModes.withoutMask(folder);
        try (var cluster = SluiceCluster.start(dir, mask, "--config", settings.toString());
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("modes"));
            s3.putObject(request -> request.bucket("modes").key(KEY), RequestBody.fromString("bytes"));
            return FileModes.in(dir.resolve("run"));
        }
    }
}
