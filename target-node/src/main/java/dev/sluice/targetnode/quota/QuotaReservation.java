package dev.sluice.targetnode.quota;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Bytes that a write may add to its bucket; held until the write has ended.
public interface QuotaReservation extends AutoCloseable {
    /// In a bucket without a quota.
    QuotaReservation UNLIMITED = new QuotaReservation() {
        @Override
        public void requireFits(LongSupplier growth) {}

        @Override
        public void atLeast(LongSupplier growth) {}

        @Override
        public <T> T storing(long size, Supplier<T> commit) {
            return commit.get();
        }

        @Override
        public void close() {}
    };

    /// Takes nothing.
    ///
    /// @throws dev.sluice.common.store.StoreException.QuotaExceeded when the bucket has not so much left now
    void requireFits(LongSupplier growth);

    /// Takes more where this is more than was taken so far.
    ///
    /// @throws dev.sluice.common.store.StoreException.QuotaExceeded when the bucket has not so much left
    void atLeast(LongSupplier growth);

    /// Commits the object of the write: what other targets have of it then counts until they say so.
    <T> T storing(long size, Supplier<T> commit);

    @Override
    void close();
}
