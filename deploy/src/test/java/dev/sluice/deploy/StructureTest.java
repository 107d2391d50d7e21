package dev.sluice.deploy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.sluice.deploy.harness.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What may depend on what, read from the classes: `common ← cloud-backend ← target-node`, `common ← proxy`, `cli →
/// all`.
final class StructureTest {
    private static final List<String> MODULES =
            List.of("common", "cloud-backend", "proxy", "target-node", "bench", "cli");
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importPaths(MODULES.stream()
                    .map(module -> Repository.root().resolve(module).resolve("target/classes"))
                    .filter(Files::exists)
                    .toList());

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

    @ParameterizedTest
    @ValueSource(strings = {"common", "backend", "proxy", "targetnode", "bench", "cli"})
    void packagesHaveNoCycles(String module) {
        SlicesRuleDefinition.slices()
                .matching("dev.sluice." + module + ".(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
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
