package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Finished;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/// The promise of docs/on-disk-format.md to those with nothing but the standard tools: an object is a file with its
/// bytes, and a copy of a drive is a drive.
final class PlainFilesTest {
    private static final Duration COMMAND = Duration.ofMinutes(1);
    private static final String PARTS = "made/of.parts";

    /// Keys with a path of their own.
    private static final List<String> PLAIN =
            List.of("a", "dir/shard-000000.tar", "with space+ü", "日本語/ключ", "x".repeat(255), ".hidden", PARTS);

    /// Keys without: `a/b` meets the file of `a` when both are on one drive.
    private static final List<String> ESCAPED =
            List.of("dir/", "a//b", "a/b", "..", "../up", "./here", "long/" + "y".repeat(256), "/absolute");

    @TempDir
    private Path folder;

    @Test
    void standardToolsSeeTheObjectsAndCopyTheDrives() throws IOException {
        var dir = folder.resolve("above/cluster");
        try (var cluster = start(dir);
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", "plain", "--replicas", "1");
            var bodies = put(s3);
            requireSums(cluster, bodies);
            requireAll(s3, bodies);
            requireModes(cluster, dir);

            cluster.down();
            assertThat(cluster.lastWords()).as("of an orderly stop").doesNotContain(" ERROR ");
            requireSums(cluster, bodies);
            requireTarHasTheBytes(cluster, bodies);
            copyDrives(cluster);
            cluster.up();
            requireAll(s3, bodies);
            requireSums(cluster, bodies);
        }
    }

    /// With a folder of its own making.
    private SluiceCluster start(Path dir) throws IOException {
        var settings = Files.writeString(
                folder.resolve("mine.toml"),
                "[cluster]%ntargets = 2%ndrives = 2%n[storage]%nhealth_check_interval = \"1s\"%n".formatted());
        return SluiceCluster.start(dir, FileModes.withoutMask(folder), "--config", settings.toString());
    }

    /// All is for the owner only, also the objects' files. [FileModesTest] has more.
    private void requireModes(SluiceCluster cluster, Path dir) throws IOException {
        FileModes.requireRunOfOwner(FileModes.in(dir.resolve("run")));
        FileModes.requireOwners(folder.resolve("above"));
        for (var drive : drives(cluster)) {
            FileModes.requireOnlyOwners(drive, "objects", ".sluice/index/CURRENT");
        }
    }

    private static Map<String, byte[]> put(S3Client s3) {
        var bodies = new TreeMap<String, byte[]>();
        var keys = new ArrayList<>(PLAIN);
        keys.addAll(ESCAPED);
        for (var key : keys) {
            bodies.put(
                    key, Content.of(key, key.equals(PARTS) ? (5 << 20) + 12_345 : 1000 + 50_000 * (key.length() % 7)));
            if (key.equals(PARTS)) {
                putParts(s3, bodies.get(key));
            } else {
                s3.putObject(request -> request.bucket("plain").key(key), RequestBody.fromBytes(bodies.get(key)));
            }
        }
        return bodies;
    }

    private static void putParts(S3Client s3, byte[] whole) {
        var id = s3.createMultipartUpload(request -> request.bucket("plain").key(PARTS))
                .uploadId();
        var parts = new ArrayList<CompletedPart>();
        for (int from = 0; from < whole.length; from += 5 << 20) {
            int number = parts.size() + 1;
            var part = Arrays.copyOfRange(whole, from, Math.min(whole.length, from + (5 << 20)));
            var answer = s3.uploadPart(
                    request -> request.bucket("plain").key(PARTS).uploadId(id).partNumber(number),
                    RequestBody.fromBytes(part));
            parts.add(CompletedPart.builder()
                    .partNumber(number)
                    .eTag(answer.eTag())
                    .build());
        }
        s3.completeMultipartUpload(request ->
                request.bucket("plain").key(PARTS).uploadId(id).multipartUpload(upload -> upload.parts(parts)));
    }

    private static void requireAll(S3Client s3, Map<String, byte[]> bodies) {
        var listed = s3.listObjectsV2(request -> request.bucket("plain")).contents();
        assertThat(listed).extracting(object -> object.key()).containsExactlyInAnyOrderElementsOf(bodies.keySet());
        bodies.forEach((key, body) -> assertThat(Content.digest(
                        s3.getObjectAsBytes(request -> request.bucket("plain").key(key))
                                .asByteArray()))
                .as(key)
                .isEqualTo(Content.digest(body)));
    }

    /// Where each key must lie, and what `sha256sum` says of it there.
    private void requireSums(SluiceCluster cluster, Map<String, byte[]> bodies) {
        var sums = new HashMap<String, String>();
        for (var drive : drives(cluster)) {
            var said = run(
                    "sh",
                    "-c",
                    "cd '%s' && find objects .sluice/escaped -type f -exec sha256sum {} +".formatted(drive));
            said.outText().lines().forEach(line -> sums.put(line.substring(66), line.substring(0, 64)));
        }
        assertThat(sums).as("files").hasSize(bodies.size());
        bodies.forEach((key, body) -> {
            var hash = Content.digest(key.getBytes(StandardCharsets.UTF_8));
            var own = "objects/plain/" + key;
            var path = PLAIN.contains(key) || (key.equals("a/b") && sums.containsKey(own))
                    ? own
                    : ".sluice/escaped/1/" + hash;
            assertThat(sums).as(key).containsEntry(path, Content.digest(body));
        });
    }

    private void requireTarHasTheBytes(SluiceCluster cluster, Map<String, byte[]> bodies) {
        for (var drive : drives(cluster)) {
            tar("-C", drive.toString(), "-cf", folder + "/objects.tar", "objects");
            var names = run("tar", "-tf", folder + "/objects.tar", "--quoting-style=literal")
                    .outText()
                    .lines()
                    .toList();
            bodies.forEach((key, body) -> {
                if (PLAIN.contains(key) && names.contains("objects/plain/" + key)) {
                    var found = run("tar", "-xOf", folder + "/objects.tar", "objects/plain/" + key);
                    assertThat(Content.digest(found.out())).as(key).isEqualTo(Content.digest(body));
                }
            });
        }
    }

    /// Each drive is replaced by a copy of it: half of them made with `cp`, half with `tar`.
    private void copyDrives(SluiceCluster cluster) throws IOException {
        boolean byTar = false;
        for (var drive : drives(cluster)) {
            var old = Files.move(drive, Path.of(drive + ".old"));
            if (byTar) {
                Files.createDirectory(drive);
                tar("-C", old.toString(), "-cf", drive + ".tar", ".");
                tar("-C", drive.toString(), "-xf", drive + ".tar");
            } else {
                run("cp", "-a", old.toString(), drive.toString());
            }
            run("rm", "-r", old.toString());
            byTar = !byTar;
        }
    }

    private static void tar(String... arguments) {
        var command = new ArrayList<>(List.of("tar", "--xattrs", "--xattrs-include=user.*"));
        command.addAll(List.of(arguments));
        run(command.toArray(String[]::new));
    }

    private List<Path> drives(SluiceCluster cluster) {
        return cluster.targets().stream()
                .flatMap(target -> target.drives().stream())
                .map(drive -> folder.resolve("above/cluster").resolve(drive))
                .toList();
    }

    private static Finished run(String... command) {
        return Finished.run(COMMAND, Map.of("LC_ALL", "C.UTF-8"), List.of(command))
                .orFail("");
    }
}
