package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IntentTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final ObjectEntry ENTRY =
            new ObjectEntry(new ObjectVersion(1, 7), 5, 1000, "etag", false, false, false);

    @Test
    void aPutKeepsItsContent() throws Exception {
        var with = new IndexBatch().delete(Table.UPLOADS, new byte[] {1});
        var content = new Intent.Content(new byte[] {1, 2, 3}, new byte[] {4, 5});
        var put = new Intent.Put(BUCKET, "key", ".sluice/work/x", ENTRY, with, Optional.of(content));
        var decoded = (Intent.Put) Intent.decode(put.encode());
        assertThat(decoded.key()).isEqualTo("key");
        assertThat(decoded.entry()).isEqualTo(ENTRY);
        assertThat(decoded.with().changes()).hasSize(1);
        assertThat(decoded.content().orElseThrow().record()).containsExactly(1, 2, 3);
        assertThat(decoded.content().orElseThrow().data()).containsExactly(4, 5);
        assertThat(((Intent.Put) Intent.decode(put.withoutContent().encode())).content())
                .isEmpty();
    }

    @Test
    void aDeletionIsJustThat() throws Exception {
        var deletion = new Intent.Delete(BUCKET, "key", new ObjectVersion(1, 9));
        assertThat(Intent.decode(deletion.encode())).isEqualTo(deletion);
    }
}
