package dev.sluice.cli.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// How to start another JVM of this installation, one that runs nodes.
public record JvmCommand(Path java, List<String> flags, String classPath, String mainClass) {

    /// As this JVM was started, with the flags of node JVMs. `home` is the root of the tree.
    public static JvmCommand ofInstallation(Path home, String mainClass) {
        var flags = List.of(
                "@" + home.resolve("deploy/jvm.flags"),
                "-Dsluice.home=" + home,
                "-Djava.library.path=" + System.getProperty("java.library.path"));
        return new JvmCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                flags,
                System.getProperty("java.class.path"),
                mainClass);
    }

    /// Starts it in a session of its own, so that it outlives the terminal; what it prints goes to the file.
    public Process startDetached(List<String> arguments, File output) throws IOException {
        var line = new ArrayList<String>();
        line.add("setsid");
        line.add(java.toString());
        line.addAll(flags);
        line.add("-XX:ErrorFile=" + new File(output.getParentFile(), "crash-%p.log"));
        line.addAll(List.of("-cp", classPath, mainClass));
        line.addAll(arguments);
        var builder = new ProcessBuilder(line);
        builder.environment().put("LC_ALL", "C.UTF-8");
        return builder.redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
                .start();
    }
}
