package dev.sluice.deploy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.sluice.deploy.harness.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What may depend on what, read from the classes: `common ← cloud-backend ← target-node`, `common ← proxy`, `cli
/// → all`.
final class StructureTest {
    private static final List<String> MODULES =
            List.of("common", "cloud-backend", "proxy", "target-node", "bench", "cli");
    private static final JavaClasses CLASSES = classes();

    /// The classes of others are known by their names: to read them too takes twenty times as long.
    private static JavaClasses classes() {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .importPaths(MODULES.stream()
                        .map(module -> Repository.root().resolve(module).resolve("target/classes"))
                        .filter(Files::exists)
                        .toList());
    }

    @Test
    void thereAreClassesToJudge() {
        for (var root : List.of("common", "backend", "proxy", "targetnode", "cli")) {
            assertThat(CLASSES).as(root).anyMatch(type -> type.getPackageName().startsWith("dev.sluice." + root));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "common     | backend, proxy, targetnode, cli, bench",
                "backend    | proxy, targetnode, cli, bench",
                "targetnode | proxy, cli, bench",
                "proxy      | backend, targetnode, cli, bench",
                "bench      | backend, proxy, targetnode, cli",
            })
    void modulesDependOneWay(String module, String forbidden) {
        var packages = Stream.of(forbidden.split(","))
                .map(name -> "dev.sluice." + name.strip() + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("dev.sluice." + module.strip() + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheEngineAndTheLoadGeneratorKnowNetty() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice..")
                .and()
                .resideOutsideOfPackages("dev.sluice.common.http.engine..", "dev.sluice.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty..")
                .check(CLASSES);
    }

    /// The protocol is a function of its events: no threads, no time, no I/O.
    @Test
    void theReplicationCoreKnowsRowsAndVersionsOnly() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.targetnode.replica.core")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.sluice.targetnode.replica.core",
                        "dev.sluice.common.cluster.slots",
                        "dev.sluice.targetnode.storage.record",
                        "java.lang..",
                        "java.util",
                        "java.util.function",
                        "java.util.stream",
                        "org.jspecify..")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        SlicesRuleDefinition.slices()
                .assignedFrom(new EachPackage())
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    /// ArchUnit's own patterns leave out the classes of a module's root package.
    private static final class EachPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "each package";
        }
    }

    /// A package's tests are in the package itself, and what its main part says holds for them.
    @Test
    void everyPackageSaysWhatItIsForAndIsNullMarked() throws IOException {
        for (var module : Stream.concat(MODULES.stream(), Stream.of("deploy")).toList()) {
            var main = Repository.root().resolve(module).resolve("src/main/java");
            var tests = Repository.root().resolve(module).resolve("src/test/java");
            assertThat(packages(main)).as(module).allMatch(name -> marked(main.resolve(name)));
            assertThat(packages(tests))
                    .as("tests of " + module)
                    .allMatch(name -> marked(main.resolve(name)) || marked(tests.resolve(name)));
        }
    }

    /// What the sources owe their readers. Each number may only fall: whoever lowers one writes the new one here.
    @Test
    void debtsOnlyFall() throws IOException {
        var main = sources("src/main/java", MODULES);
        var targetNode = sources("src/main/java", List.of("target-node"));
        var all = new ArrayList<>(main);
        all.addAll(sources(
                "src/test/java",
                Stream.concat(MODULES.stream(), Stream.of("deploy")).toList()));
        var debts = new TreeMap<String, Long>();
        debts.put(
                "files over 300 lines",
                main.stream().filter(file -> file.lines().size() > 300).count());
        debts.put(
                "packages over 20 files",
                filesByPackage(main).values().stream()
                        .filter(count -> count > 20)
                        .count());
        debts.put("constructors over 7 parameters", constructorsWithMoreThan(7));
        debts.put("replicated() in target-node", uses(targetNode, "replicated()"));
        debts.put(
                "contents() in target-node outside storage.drive",
                uses(
                        targetNode.stream()
                                .filter(file -> !file.path().contains("/storage/drive/"))
                                .toList(),
                        "contents()"));
        debts.put(
                "comment lines of one word",
                all.stream()
                        .flatMap(file -> file.lines().stream())
                        .filter(ONE_WORD.asMatchPredicate())
                        .count());
        assertThat(debts)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "files over 300 lines", 32L,
                        "packages over 20 files", 8L,
                        "constructors over 7 parameters", 0L,
                        "replicated() in target-node", 1L,
                        "contents() in target-node outside storage.drive", 0L,
                        "comment lines of one word", 20L));
    }

    private static final Pattern ONE_WORD = Pattern.compile("\\s*///? \\S+");

    private record Source(String path, List<String> lines) {}

    private static List<Source> sources(String folder, List<String> modules) throws IOException {
        var sources = new ArrayList<Source>();
        for (var module : modules) {
            var root = Repository.root().resolve(module).resolve(folder);
            if (Files.exists(root)) {
                try (var files = Files.walk(root)) {
                    for (var file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        sources.add(new Source(file.toString(), Files.readAllLines(file)));
                    }
                }
            }
        }
        return sources;
    }

    private static Map<String, Long> filesByPackage(List<Source> sources) {
        return sources.stream()
                .collect(Collectors.groupingBy(
                        file -> file.path().substring(0, file.path().lastIndexOf('/')), Collectors.counting()));
    }

    /// A record's parameters are its components, which have names where they are read.
    private static long constructorsWithMoreThan(int parameters) {
        return CLASSES.stream()
                .filter(type -> !type.isAssignableTo(Record.class))
                .flatMap(type -> type.getConstructors().stream())
                .filter(constructor -> constructor.getRawParameterTypes().size() > parameters)
                .count();
    }

    private static long uses(List<Source> sources, String call) {
        return sources.stream()
                .flatMap(file -> file.lines().stream())
                .mapToLong(line -> line.split(Pattern.quote(call), -1).length - 1)
                .sum();
    }

    private static List<Path> packages(Path root) throws IOException {
        if (!Files.exists(root)) {
            return List.of();
        }
        try (var files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> root.relativize(file.getParent()))
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    private static boolean marked(Path folder) {
        try {
            var file = folder.resolve("package-info.java");
            return Files.exists(file)
                    && Files.readString(file).contains("@NullMarked")
                    && Files.readString(file).startsWith("///");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
