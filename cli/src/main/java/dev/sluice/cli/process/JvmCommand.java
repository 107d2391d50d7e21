package dev.sluice.cli.process;

import dev.sluice.cli.trust.Trust;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How to start another JVM of this installation, one that runs nodes. The environment is added to the one of this JVM.
public record JvmCommand(
        Path java,
        List<String> flags,
        String classPath,
        String mainClass,
        Map<String, String> environment,
        Optional<String> clientKey) {
    /// What `sluice env` sets.
    private static final List<String> CLIENT_VARIABLES = List.of(
            "AWS_ENDPOINT_URL",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_DEFAULT_REGION",
            Trust.BUNDLE_VARIABLE);

    public JvmCommand {
        flags = List.copyOf(flags);
        environment = Map.copyOf(environment);
    }

    public JvmCommand(Path java, List<String> flags, String classPath, String mainClass) {
        this(java, flags, classPath, mainClass, Map.of(), Optional.empty());
    }

    /// As this JVM was started, with the flags of node JVMs, the start cache if there is one, and the flags in
    /// `$SLUICE_JVM_FLAGS` behind them.
    ///
    /// @param scripts the folder of `jvm.flags`
    public static JvmCommand ofInstallation(Path scripts, String mainClass, Map<String, String> environment) {
        var flags = new ArrayList<>(List.of(
                "@" + scripts.resolve("jvm.flags"), "-Djava.library.path=" + System.getProperty("java.library.path")));
        StartCache.file(environment).filter(Files::exists).ifPresent(cache -> {
            flags.add("-XX:AOTCache=" + cache);
            flags.add("-Xlog:aot*=off"); // of no use to this JDK: then it starts without
        });
        var given = environment.getOrDefault("SLUICE_JVM_FLAGS", "").strip();
        if (!given.isEmpty()) {
            flags.addAll(List.of(given.split("\\s+")));
        }
        return new JvmCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                flags,
                System.getProperty("java.class.path"),
                mainClass);
    }

    public JvmCommand with(Map<String, String> variables) {
        return new JvmCommand(java, flags, classPath, mainClass, variables, clientKey);
    }

    /// Flags that this command has already count more.
    public JvmCommand with(JvmMemory memory) {
        var all = new ArrayList<>(memory.flags());
        all.addAll(flags);
        return new JvmCommand(java, all, classPath, mainClass, environment, clientKey);
    }

    /// @param accessKey of the cluster: variables that bear it are for its clients. A node that took them for its own
    ///     at a cloud would show it the cluster's keys.
    public JvmCommand withoutClientKey(String accessKey) {
        return new JvmCommand(java, flags, classPath, mainClass, environment, Optional.of(accessKey));
    }

    /// @param variables of this JVM, and then of the other
    void inherit(Map<String, String> variables) {
        if (clientKey.isPresent() && clientKey.get().equals(variables.get("AWS_ACCESS_KEY_ID"))) {
            CLIENT_VARIABLES.forEach(variables::remove);
        }
        variables.putAll(environment);
        variables.put("LC_ALL", "C.UTF-8");
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
        inherit(builder.environment());
        return builder.redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
                .start();
    }
}
