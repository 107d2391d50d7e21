package dev.sluice.targetnode.replica.core.sim;

final class MemoryStoreTest extends StoreContract {
    @Override
    Store open() {
        return new MemoryStore();
    }
}
