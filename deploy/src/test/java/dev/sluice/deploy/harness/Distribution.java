package dev.sluice.deploy.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// An unpacked tarball of `deploy/dist` in a read-only folder. Where the tests run as root, another user runs it, one
/// that no file belongs to. It finds no program but those that an installation needs.
///
/// @param home of the user, with the cluster and what it stores
public record Distribution(Path folder, Path home, Path programs) {
    private static final Duration MADE = Duration.ofMinutes(9);
    private static final Duration COMMAND = Duration.ofMinutes(1);
    private static final String USER = "65532";
    private static final List<String> PROGRAMS = List.of("bash", "readlink", "setsid");
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    /// From the jars of the tests' build.
    ///
    /// @param options of `deploy/dist`, besides these jars and the folder
    /// @return the tarball, in that folder
    public static Path make(Path output, String... options) throws IOException {
        var root = Repository.root();
        var jars = root.resolve("cli/target/dist-maven");
        var command = new ArrayList<>(List.of(root.resolve("deploy/dist").toString()));
        command.addAll(List.of("--jars", jars.toString(), "--output", output.toString()));
        command.addAll(List.of(options));
        Finished.run(MADE, Map.of(), command).orFail("");
        return onlyOne(output, "*.tar.gz");
    }

    /// @param under where the folders of the distribution and of the user go
    public static Distribution unpack(Path tarball, Path under) throws IOException {
        Files.setPosixFilePermissions(under, PosixFilePermissions.fromString("rwx--x--x"));
        var place = Files.createDirectory(under.resolve("elsewhere"));
        run("tar", "xzf", tarball.toString(), "-C", place.toString());
        run("chmod", "-R", "a-w", place.toString());
        var home = Files.createDirectory(under.resolve("home"));
        if (ROOT) {
            run("chown", USER + ":" + USER, home.toString());
        }
        var programs = Files.createDirectory(under.resolve("programs"));
        for (var program : PROGRAMS) {
            var found = Stream.of("/usr/bin", "/bin")
                    .map(bin -> Path.of(bin, program))
                    .filter(Files::isExecutable)
                    .findFirst();
            Files.createSymbolicLink(programs.resolve(program), found.orElseThrow());
        }
        run("chmod", "-R", "a+rX", programs.toString());
        return new Distribution(onlyOne(place, "sluice-*"), home, programs);
    }

    /// Its command, as the user.
    ///
    /// @param more variables besides HOME and PATH
    public Finished attempt(Map<String, String> more, String... arguments) {
        var command = new ArrayList<String>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        }
        command.addAll(List.of("env", "-i", "HOME=" + home, "PATH=" + programs));
        more.forEach((name, value) -> command.add(name + "=" + value));
        command.add(folder.resolve("bin/sluice").toString());
        command.addAll(List.of(arguments));
        return Finished.run(COMMAND, Map.of(), command);
    }

    public Finished sluice(String... arguments) {
        return attempt(Map.of(), arguments).orFail("");
    }

    /// What a node of the cluster in the user's home runs.
    public Path program() throws IOException {
        var node = ClusterFile.read(home.resolve(".sluice")).nodes().getFirst();
        return Path.of("/proc/" + node.pid() + "/exe").toRealPath();
    }

    /// A first port that is free, with those that follow.
    public static String port() {
        return Integer.toString(FreePorts.base());
    }

    private static void run(String... command) {
        Finished.run(COMMAND, Map.of(), List.of(command)).orFail("");
    }

    private static Path onlyOne(Path folder, String glob) throws IOException {
        try (var found = Files.newDirectoryStream(folder, glob)) {
            return found.iterator().next();
        }
    }
}
