package dev.sluice.backend.gcs;

import com.google.cloud.storage.Blob;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.StorageException;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendPage;
import dev.sluice.backend.KeyOrder;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// GCS's listing, a page at a time and from any key: no token of the cloud's has to be kept.
final class GcsListing {
    private final BackendAddress address;
    private final Storage client;
    private final BackendCalls calls;

    GcsListing(BackendAddress address, Storage client, BackendCalls calls) {
        this.address = address;
        this.client = client;
        this.calls = calls;
    }

    /// What GCS answered, keys still with the address' prefix.
    private record Answer(List<Blob> blobs, boolean more) {}

    BackendPage list(String prefix, String delimiter, String after, int max) {
        var from = after;
        while (true) {
            var answer = request(prefix, delimiter, from, Math.min(max, 1000));
            var page = page(answer, from);
            boolean nothing = page.entries().isEmpty() && page.commonPrefixes().isEmpty();
            if (!nothing || page.next().isEmpty()) {
                return page;
            }
            from = page.next().get();
        }
    }

    private Answer request(String prefix, String delimiter, String after, int max) {
        var options = new ArrayList<BlobListOption>();
        options.add(BlobListOption.prefix(address.prefix() + prefix));
        options.add(BlobListOption.pageSize(max));
        options.add(BlobListOption.fields(
                BlobField.NAME, BlobField.SIZE, BlobField.MD5HASH, BlobField.GENERATION, BlobField.UPDATED));
        if (!delimiter.isEmpty()) {
            options.add(BlobListOption.delimiter(delimiter));
        }
        if (!after.isEmpty()) {
            boolean rolledUp = !delimiter.isEmpty() && after.endsWith(delimiter) && after.length() > prefix.length();
            // startOffset is the first key wanted, and nothing lies between a key and itself with a NUL.
            var first = rolledUp ? KeyOrder.lastWithin(after) : after + "\0";
            options.add(BlobListOption.startOffset(address.prefix() + first));
        }
        return calls.run("list", prefix, () -> {
            try {
                var page = client.list(address.bucket(), options.toArray(BlobListOption[]::new));
                var blobs = new ArrayList<Blob>();
                page.getValues().forEach(blobs::add);
                return new Answer(blobs, page.hasNextPage());
            } catch (StorageException e) {
                throw e.getCode() == 404 ? new StoreException.NoSuchBucket(address.toString()) : e;
            }
        });
    }

    private BackendPage page(Answer answer, String after) {
        var entries = new ArrayList<BackendPage.Entry>();
        var prefixes = new ArrayList<String>();
        var last = after;
        for (var blob : answer.blobs()) {
            var key = blob.getName().substring(address.prefix().length());
            if (KeyOrder.BY_UTF8.compare(key, after) <= 0) {
                continue;
            }
            last = KeyOrder.BY_UTF8.compare(key, last) > 0 ? key : last;
            if (blob.isDirectory()) {
                prefixes.add(key);
            } else {
                var object = GcsObjects.object(key, blob);
                entries.add(new BackendPage.Entry(key, object.size(), object.etag(), object.lastModified()));
            }
        }
        boolean more = answer.more() && !last.equals(after);
        return new BackendPage(entries, prefixes, more ? Optional.of(last) : Optional.empty());
    }
}
