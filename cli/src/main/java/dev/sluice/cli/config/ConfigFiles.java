package dev.sluice.cli.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Reads settings. What a file leaves out has its default; an unknown key or a wrong type is an error that names it.
public final class ConfigFiles {
    private static final TomlMapper TOML = TomlMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .addModule(new Jdk8Module())
            .build();

    private ConfigFiles() {}

    /// The configuration of a node, with keys from the environment where that has them, and with what the file leaves
    /// out of `[node]`.
    public static NodeConfig node(Path file, Map<String, String> environment) {
        return node(read(file), file.toString(), environment);
    }

    public static ClusterConfig cluster(Path file) {
        return cluster(read(file), file.toString());
    }

    public static ClusterConfig cluster(String toml, String name) {
        return parse(toml, name, ClusterConfig.class, ClusterConfig.DEFAULTS, clusterForm());
    }

    public static NodeConfig node(String toml, String name, Map<String, String> environment) {
        var config = parse(toml, name, NodeConfig.class, NodeConfig.DEFAULTS, nodeForm());
        try {
            return config.with(config.auth().withKeysFrom(environment).withClusterKeyFrom(environment))
                    .with(config.node().filledFrom(environment))
                    .checked();
        } catch (IllegalArgumentException wrong) {
            throw new ConfigException(name + ": " + wrong.getMessage());
        }
    }

    /// The text of a node's file.
    public static String render(NodeConfig config) {
        return TomlText.of(tree(config));
    }

    private static <T> T parse(String toml, String name, Class<T> type, T defaults, ObjectNode form) {
        try {
            var given = TOML.readTree(toml);
            var merged = tree(defaults);
            if (given instanceof ObjectNode settings) {
                new SettingsMerge(name, form).into(merged, settings);
            }
            return TOML.treeToValue(merged, type);
        } catch (JsonProcessingException wrong) {
            throw ConfigProblem.explain(name, wrong);
        }
    }

    private static ObjectNode tree(Object settings) {
        return TOML.valueToTree(settings);
    }

    /// The defaults with one element in every list, which shows what its elements look like, and one table where
    /// tables have names of their own.
    private static ObjectNode nodeForm() {
        var form = tree(NodeConfig.DEFAULTS);
        form.withArray("/drives/paths").add("");
        form.withArray("/drives/lost").add("");
        form.withArray("/cluster/nodes")
                .add(tree(new NodeConfig.Member("target001", NodeRole.TARGET, "http://host:1")));
        return withBackends(form);
    }

    private static ObjectNode clusterForm() {
        var form = tree(ClusterConfig.DEFAULTS);
        form.withArray("/cluster/drive_roots").add("");
        return withBackends(form);
    }

    private static ObjectNode withBackends(ObjectNode form) {
        form.withObject("/backends").putArray("allow").add("");
        form.withObject("/backends").set(SettingsMerge.ANY_NAME, tree(BackendConfig.DEFAULTS));
        return form;
    }

    public static List<String> keys(JsonNode tree) {
        return tree.properties().stream().map(Map.Entry::getKey).toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException absent) {
            throw new ConfigException(file + ": no such file");
        } catch (IOException unreadable) {
            throw new ConfigException(file + ": cannot be read: " + unreadable.getMessage());
        }
    }
}
