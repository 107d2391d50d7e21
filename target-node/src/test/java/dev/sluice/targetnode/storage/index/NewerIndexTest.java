package dev.sluice.targetnode.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.targetnode.storage.files.OnDrive;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/// An index of a build to come, with a table more: whole, so it must not be put aside and rebuilt.
class NewerIndexTest {
    private static final RocksMemory MEMORY = new RocksMemory(1 << 20, 4 << 20);

    @TempDir
    private Path folder;

    @Test
    void itIsLeftAsItIs() throws Exception {
        OnDrive.run(() -> RocksIndex.open(folder, MEMORY).close());
        addTable("LATER");
        assertThatThrownBy(() -> OnDrive.run(() -> RocksIndex.open(folder, MEMORY)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(DamagedIndexException.class)
                .hasMessageContainingAll(folder.toString(), "LATER", "a newer Sluice made it");
    }

    private void addTable(String name) throws Exception {
        var descriptors = new ArrayList<ColumnFamilyDescriptor>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY));
        for (var table : Table.values()) {
            descriptors.add(new ColumnFamilyDescriptor(table.name().getBytes(StandardCharsets.UTF_8)));
        }
        var handles = new ArrayList<ColumnFamilyHandle>();
        try (var options = new DBOptions();
                var database = RocksDB.open(options, folder.toString(), descriptors, handles)) {
            assertThat(handles).hasSize(descriptors.size());
            database.createColumnFamily(new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.UTF_8)))
                    .close();
            handles.forEach(ColumnFamilyHandle::close);
        }
    }
}
