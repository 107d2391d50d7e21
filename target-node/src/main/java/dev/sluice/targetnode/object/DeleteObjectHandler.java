package dev.sluice.targetnode.object;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.WriteCheck;
import java.time.Instant;

/// DeleteObject: gone durably, here and in the cloud behind the bucket. Deleting what is not there succeeds.
final class DeleteObjectHandler {
    private final ObjectStore store;
    private final BucketWriteGate writes;
    private final WriteThrough writeThrough;

    DeleteObjectHandler(ObjectStore store, BucketWriteGate writes, WriteThrough writeThrough) {
        this.store = store;
        this.writes = writes;
        this.writeThrough = writeThrough;
    }

    Response handle(Bucket bucket, String key, DeleteConditions conditions) {
        delete(bucket, key, conditions);
        return Response.empty(204);
    }

    void delete(Bucket bucket, String key, DeleteConditions conditions) {
        if (bucket.backed()) {
            writeThrough.delete(bucket, key, conditions);
            return;
        }
        try (var _ = writes.enter(bucket)) {
            store.delete(BucketRefs.of(bucket), key, check(conditions, key), BucketRefs.durability(bucket));
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
