package dev.sluice.backend.gcs;

import com.google.cloud.storage.Blob;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobField;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.StorageException;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendPage;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

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
        int most = Math.min(max, 1000);
        var from = after;
        while (true) {
            var answer = request(prefix, delimiter, from, most);
            var page = page(answer, from, most);
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

    /// What GCS sent and is after `after`, objects and prefixes in one order. Not every server counts the prefixes, so
    /// the page is cut here as well.
    private BackendPage page(Answer answer, String after, int max) {
        var found = new TreeMap<String, Blob>(KeyOrder.INSTANCE);
        for (var blob : answer.blobs()) {
            found.put(blob.getName().substring(address.prefix().length()), blob);
        }
        var wanted = found.tailMap(after, false);
        var entries = new ArrayList<BackendPage.Entry>();
        var prefixes = new ArrayList<String>();
        var last = found.isEmpty() ? after : found.lastKey();
        for (var each : wanted.entrySet()) {
            if (entries.size() + prefixes.size() == max) {
                return new BackendPage(entries, prefixes, Optional.of(last));
            }
            last = each.getKey();
            if (each.getValue().isDirectory()) {
                prefixes.add(last);
            } else {
                entries.add(entry(last, each.getValue()));
            }
        }
        boolean more = answer.more() && !last.equals(after);
        return new BackendPage(entries, prefixes, more ? Optional.of(last) : Optional.empty());
    }

    private static BackendPage.Entry entry(String key, Blob blob) {
        var object = GcsObjects.object(key, blob);
        return new BackendPage.Entry(key, object.size(), object.etag(), object.lastModified());
    }
}
