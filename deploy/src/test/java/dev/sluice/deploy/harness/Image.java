package dev.sluice.deploy.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What deploy/docker/Dockerfile makes of a file system of Debian, without a container engine; and its program, run in
/// it as the image's user, with the image's variables and a `/proc` and `/dev` of its own.
public final class Image {
    private static final Duration STEP = Duration.ofMinutes(2);
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"");

    private final Path root;
    private final Path context;
    private final Map<String, String> variables = new TreeMap<>();
    private String user = "0:0";
    private List<String> entry = List.of();
    private List<String> command = List.of();
    private List<String> health = List.of();

    private Image(Path root, Path context) {
        this.root = root;
        this.context = context;
    }

    /// @param base the file system of the image that it begins with
    /// @param context the folder that ADD and COPY take from
    /// @param folder where the image's file system goes
    public static Image build(Path base, Path dockerfile, Path context, Path folder) throws IOException {
        run(List.of("cp", "-a", base.toString(), folder.toString()));
        var image = new Image(folder, context);
        var text = Files.readString(dockerfile).replaceAll("(?m)^#.*\\R", "").replaceAll("\\\\\\R", " ");
        for (var line :
                text.lines().map(String::strip).filter(each -> !each.isEmpty()).toList()) {
            int end = line.indexOf(' ');
            image.step(line.substring(0, end), line.substring(end + 1).strip());
        }
        return image;
    }

    private void step(String instruction, String rest) {
        switch (instruction) {
            case "FROM", "VOLUME", "EXPOSE", "STOPSIGNAL", "WORKDIR" -> {}
            case "ADD" -> copy(rest, "tar xzf %s -C %s");
            case "COPY" -> copy(rest, "cp %s %s");
            case "RUN" -> run(List.of("chroot", root.toString(), "sh", "-c", rest));
            case "USER" -> user = rest;
            case "ENV" -> {
                for (var each : rest.split(" ")) {
                    variables.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
                }
            }
            case "HEALTHCHECK" -> health = words(rest);
            case "ENTRYPOINT" -> entry = words(rest);
            case "CMD" -> command = words(rest);
            default ->
                throw new IllegalArgumentException("an instruction that this test does not know: " + instruction);
        }
    }

    /// @param form of the command, for what is copied and where to
    private void copy(String fromTo, String form) {
        var parts = fromTo.split(" ");
        var line = form.formatted(parts[0], root + parts[1]);
        run(List.of("sh", "-c", "cd " + context + " && " + line));
    }

    private static List<String> words(String json) {
        return WORD.matcher(json).results().map(each -> each.group(1)).toList();
    }

    private static void run(List<String> command) {
        Finished.run(STEP, Map.of(), command).orFail("");
    }

    /// Its usual program, as `docker run IMAGE` starts it.
    ///
    /// @param mounts a shell's line that runs before, for volumes
    /// @param more arguments behind the usual ones
    public Process start(String mounts, Path output, String... more) throws IOException {
        var arguments = new ArrayList<>(entry);
        arguments.addAll(command);
        arguments.addAll(List.of(more));
        return new ProcessBuilder(inside(mounts, Map.of(), arguments))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /// As `docker exec` does it.
    public Finished exec(String... arguments) {
        return Finished.run(STEP, Map.of(), inside("true", Map.of(), List.of(arguments)));
    }

    public Finished checkHealth(int port) {
        return Finished.run(
                STEP, Map.of(), inside("true", Map.of("SLUICE_HEALTH_PORT", Integer.toString(port)), health));
    }

    private List<String> inside(String mounts, Map<String, String> more, List<String> arguments) {
        var command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind %1$s %1$s && mount -t proc proc %1$s/proc && mount --rbind /dev %1$s/dev && %2$s"
                        .concat(" && exec chroot \"$@\"")
                        .formatted(root, mounts),
                "inside",
                "--userspec=" + user,
                root.toString(),
                "env",
                "-i",
                "PATH=/usr/local/bin:/usr/bin:/bin"));
        var all = new TreeMap<>(variables);
        all.putAll(more);
        all.forEach((name, value) -> command.add(name + "=" + value));
        command.addAll(arguments);
        return command;
    }

    public Path root() {
        return root;
    }
}
