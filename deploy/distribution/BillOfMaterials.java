import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

/// The bill of materials of the distribution: what Maven's has, without jars that the distribution leaves out, and with
/// the Java runtime. Also the licenses of its parts: a list, and the texts that are in the jars.
/// `java BillOfMaterials.java MAVENS-BILL JARS RELEASE-FILE-OF-THE-JDK LICENSES BILL`
final class BillOfMaterials {
    private static final Pattern LICENSE = Pattern.compile(
            "(META-INF/)?(licen[sc]es?/.+|[^/]*(licen[sc]e|notice|copying|about)[^/]*?(\\.(txt|md|html))?)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern CLASSIFIER = Pattern.compile("[?&]classifier=([^&]+)");

    private BillOfMaterials() {}

    public static void main(String[] arguments) throws IOException {
        var json = new ObjectMapper();
        var bill = (ObjectNode) json.readTree(Path.of(arguments[0]).toFile());
        var licenses = Path.of(arguments[3]);
        Files.createDirectories(licenses);

        var missing = new TreeSet<String>();
        try (var jars = Files.list(Path.of(arguments[1]))) {
            for (var jar : jars.sorted().toList()) {
                missing.add(jar.getFileName().toString());
                copyLicenses(jar, licenses);
            }
        }
        missing.remove(jarOf(bill.path("metadata").path("component")));
        var kept = json.createArrayNode();
        var list = new TreeMap<String, String>();
        for (var component : bill.path("components")) {
            if (missing.remove(jarOf(component))) {
                kept.add(component);
                if (!component.path("group").asText().equals("dev.sluice")) {
                    list.put(component.path("group").asText() + ":" + component.path("name").asText() + " "
                            + component.path("version").asText(), licensesOf(component));
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException("not in " + arguments[0] + ": " + missing);
        }
        var runtime = runtime(json, Path.of(arguments[2]));
        kept.add(runtime);
        list.put(runtime.path("name").asText() + " " + runtime.path("version").asText(), licensesOf(runtime));
        bill.set("components", kept);
        bill.set("dependencies", dependencies(json, bill));
        json.writerWithDefaultPrettyPrinter().writeValue(Path.of(arguments[4]).toFile(), bill);

        var lines = new ArrayList<>(List.of(
                "Parts of other projects in this distribution, and their licenses. Texts that come with a part are in its",
                "folder here. The texts of the Java runtime are in runtime/legal.",
                ""));
        list.forEach((part, license) -> lines.add(part + ": " + license));
        Files.write(licenses.resolve("THIRD-PARTY.txt"), lines);
    }

    private static String jarOf(JsonNode component) {
        var classifier = CLASSIFIER.matcher(component.path("purl").asText());
        return component.path("name").asText() + "-" + component.path("version").asText()
                + (classifier.find() ? "-" + classifier.group(1) : "") + ".jar";
    }

    private static String licensesOf(JsonNode component) {
        var all = new ArrayList<String>();
        for (var each : component.path("licenses")) {
            var license = each.path("license");
            all.add(each.path("expression").asText(license.path("id").asText(license.path("name").asText())));
        }
        return all.isEmpty() ? "see its texts" : String.join(" or ", all);
    }

    private static ObjectNode runtime(ObjectMapper json, Path release) throws IOException {
        var says = new Properties();
        try (var in = Files.newInputStream(release)) {
            says.load(in);
        }
        var runtime = json.createObjectNode()
                .put("type", "platform")
                .put("bom-ref", "java-runtime")
                .put("publisher", says.getProperty("IMPLEMENTOR", "unknown").replace("\"", ""))
                .put("name", "OpenJDK runtime")
                .put("version", says.getProperty("JAVA_RUNTIME_VERSION", says.getProperty("JAVA_VERSION")).replace("\"", ""));
        runtime.putArray("licenses").addObject().put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        return runtime;
    }

    private static ArrayNode dependencies(ObjectMapper json, ObjectNode bill) {
        Set<String> known = new HashSet<>(Set.of(bill.path("metadata").path("component").path("bom-ref").asText()));
        bill.path("components").forEach(component -> known.add(component.path("bom-ref").asText()));
        var all = json.createArrayNode();
        for (var entry : bill.path("dependencies")) {
            if (known.contains(entry.path("ref").asText())) {
                var kept = all.addObject().put("ref", entry.path("ref").asText());
                var on = kept.putArray("dependsOn");
                entry.path("dependsOn").forEach(each -> {
                    if (known.contains(each.asText())) {
                        on.add(each);
                    }
                });
            }
        }
        return all;
    }

    private static void copyLicenses(Path jar, Path licenses) throws IOException {
        var folder = licenses.resolve(jar.getFileName().toString().replaceFirst("\\.jar$", ""));
        try (var zip = new ZipFile(jar.toFile())) {
            for (var entry : zip.stream().toList()) {
                if (entry.isDirectory() || entry.getName().endsWith(".class") || !LICENSE.matcher(entry.getName()).matches()) {
                    continue;
                }
                var file = folder.resolve(entry.getName().replaceFirst("^META-INF/", "")).normalize();
                if (!file.startsWith(folder)) {
                    throw new IOException(jar + " has an entry outside of it: " + entry.getName());
                }
                Files.createDirectories(file.getParent());
                try (var text = zip.getInputStream(entry)) {
                    Files.write(file, text.readAllBytes());
                }
            }
        }
    }
}
