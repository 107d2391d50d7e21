package dev.sluice.targetnode.storage.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.PackedWriter;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    private static final Checkpoint BEGUN = Checkpoint.NEVER.begun(17);

    @Test
    void itComesBackAsItWas() throws IOException {
        for (var each : new Checkpoint[] {
            Checkpoint.NEVER,
            BEGUN,
            BEGUN.checked(new ObjectKey(7, "/k"), 5),
            BEGUN.onToFiles(),
            BEGUN.onToFiles().looked("objects/b/k").stopping()
        }) {
            assertThat(Checkpoint.decode(each.encode())).isEqualTo(each);
        }
    }

    /// Earlier builds went by the order of names: what they left out may be before that name now.
    @Test
    void anEarlierBuildsPositionAmongFilesIsTheirBegin() throws IOException {
        var earlier = new PackedWriter(1)
                .number(2)
                .number(0)
                .text("objects/b/k")
                .number(3)
                .number(4)
                .number(17)
                .number(0)
                .flag(false)
                .flag(false)
                .number(0)
                .sealed();
        assertThat(Checkpoint.decode(earlier).phase()).isEqualTo(Checkpoint.Phase.FILES);
        assertThat(Checkpoint.decode(earlier).at()).isEmpty();
        assertThat(Checkpoint.decode(earlier).objects()).isEqualTo(3);
    }
}
