package dev.sluice.common.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.ClusterJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NameListTest {
    @Test
    void eachNameIsThereOnceInItsOrder() {
        assertThat(NameList.of(List.of("b", "a", "b")).names()).containsExactly("b", "a");
    }

    @Test
    void namesThatCannotBeAreRefused() {
        assertThatThrownBy(() -> NameList.of(List.of())).hasMessageContaining("no names");
        assertThatThrownBy(() -> NameList.of(List.of("a", ""))).hasMessageContaining("no bytes");
        assertThatThrownBy(() -> NameList.of(List.of("ä".repeat(513)))).hasMessageContaining("1024");
    }

    @Test
    void soManyNamesAndNoMore() {
        var names =
                IntStream.range(0, (64 << 10) / 16).mapToObj("%013d"::formatted).toList();
        assertThat(ClusterJson.write(NameList.of(names).names()).length).isLessThanOrEqualTo((64 << 10) + 2);
        var more = IntStream.range(0, names.size() + 1)
                .mapToObj("%013d"::formatted)
                .toList();
        assertThatThrownBy(() -> NameList.of(more))
                .hasMessageContaining("65 KiB")
                .hasMessageContaining("split it");
    }

    @Test
    void jobOfABuildWithoutListsIsRead() throws IOException {
        var spec = new JobSpec(JobKind.EVICT, "sets", 7, "train/", Optional.empty(), false);
        var old = new String(ClusterJson.write(spec), StandardCharsets.UTF_8).replace(",\"list\":null", "");
        assertThat(old).doesNotContain("list");
        assertThat(ClusterJson.read(old.getBytes(StandardCharsets.UTF_8), JobSpec.class))
                .isEqualTo(spec);
        var listed = new JobSpec(
                JobKind.EVICT, "sets", 7, "", Optional.empty(), Optional.of(NameList.of(List.of("a", "b"))), false);
        assertThat(ClusterJson.read(ClusterJson.write(listed), JobSpec.class)).isEqualTo(listed);
    }
}
