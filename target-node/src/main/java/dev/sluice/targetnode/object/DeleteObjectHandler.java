package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.WriteCheck;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/// DeleteObject: gone durably, here and in the cloud behind the bucket. Deleting what is not there succeeds.
public final class DeleteObjectHandler {
    private final ObjectStore store;
    private final BucketWriteGate writes;
    private final WriteThrough writeThrough;

    public DeleteObjectHandler(ObjectStore store, BucketWriteGate writes, WriteThrough writeThrough) {
        this.store = store;
        this.writes = writes;
        this.writeThrough = writeThrough;
    }

    public Response handle(Bucket bucket, String key, DeleteConditions conditions, ByteSource body) {
        delete(bucket, key, conditions, body::abandoned);
        return Response.empty(204);
    }

    /// @param abandoned whether nobody waits for it any more
    public void delete(Bucket bucket, String key, DeleteConditions conditions, BooleanSupplier abandoned) {
        if (bucket.backed()) {
            writeThrough.delete(bucket, key, conditions);
            return;
        }
        try (var _ = writes.enter(bucket)) {
            var check = check(conditions, key).unless(abandoned);
            store.delete(BucketRefs.of(bucket), key, check, BucketRefs.durability(bucket));
        }
    }

    private static WriteCheck check(DeleteConditions conditions, String key) {
        return conditions.none()
                ? WriteCheck.NONE
                : present -> present.ifPresentOrElse(
                        object -> conditions.check(
                                object.etag(), object.size(), Instant.ofEpochMilli(object.modifiedMillis())),
                        () -> conditions.checkAbsent(key));
    }
}
