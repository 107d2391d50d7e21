package dev.sluice.deploy.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Where the project is, from any module's folder.
public final class Repository {
    private Repository() {}

    public static Path root() {
        return Stream.iterate(Path.of("").toAbsolutePath(), folder -> folder != null, Path::getParent)
                .filter(folder -> Files.isExecutable(folder.resolve("sluice")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no sluice above " + Path.of("").toAbsolutePath()));
    }

    /// A script of the clients' side.
    public static Path script(String name) {
        return root().resolve("deploy/src/test/python").resolve(name);
    }
}
