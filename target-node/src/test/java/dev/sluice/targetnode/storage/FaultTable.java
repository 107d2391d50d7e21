package dev.sluice.targetnode.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Every kind of file on a drive, everything that can happen to it, and what must come of it.
///
/// | code | what is promised |
/// |--|--|
/// | KEY | the object concerned is right or a 5xx; all others are right |
/// | ALL | anything is right or a 5xx, or the start is refused; within two more starts everything is right |
/// | START | everything is right, or the start is refused with one line that names the file; put back, all is right |
/// | COPY | the start is refused until the copy is replaced by the other one, or both by a backup |
/// | OLD | the write is refused or acknowledged, and what was acknowledged stays |
///
/// The records of uploads and parts and the names of buckets are read only when there is no index, so they are harmed
/// together with it: the upload concerned is right, or it or a part of it is unknown. So are the records of objects
/// once more (BOTH).
///
/// Where there is no such row the small letter says why:
///
/// | | |
/// |--|--|
/// | a | reading needs no room |
/// | b | it is never written under this name: a staging file becomes it |
/// | c | written once, at the first start, past the seam; what a bad write leaves is read back in the row above |
/// | d | RocksDB writes it past our seam; what a bad write leaves is the row above, and real EIO and ENOSPC on a whole
/// file system are in deploy's power cuts and full drives |
/// | e | written past the seam; what a silent bad write leaves is read back in the row above |
/// | f | read whole or not at all: a short read is the row's "cut" |
/// | g | only its start and its length are read, by recovery; its bytes are a row of "object" once it is one |
/// | h | an attribute is set in one call, whole or not at all |
/// | i | two drives' logs (or tables) changed for each other: nothing in RocksDB's log says whose it is |
/// | j | a change that cannot be recorded is made later: in the tests of mountpaths and of the drive table |
/// | k | written last of all, past the seam: without it, it is as after a kill |
/// | l | an empty file: its name is all that is read |
/// | m | written once for a bucket: in `DamageTest` |
/// | n | as the row of "record" |
final class FaultTable {
    enum Kind {
        OBJECT,
        RECORD,
        BOTH,
        NAME,
        DETAILS,
        WORK,
        PART,
        PART_RECORD,
        UPLOAD,
        IDENTITY,
        DRIVES,
        ENDED,
        SST,
        WAL,
        MANIFEST,
        CURRENT,
        SYNCED,
        STATE
    }

    enum Harm {
        FLIP,
        ZERO,
        CUT,
        SWAP,
        DELETE,
        EIO,
        ENOSPC,
        SHORT
    }

    enum Seen {
        READ,
        WRITE
    }

    enum Promise {
        KEY,
        ALL,
        START,
        COPY,
        OLD
    }

    /// One cell with a promise.
    record Row(Kind kind, Seen seen, Harm harm, Promise promise) {
        @Override
        public String toString() {
            return "%s, %s on %s: %s".formatted(kind, harm, seen, promise);
        }
    }

    private static final String TABLE = """
            file        seen   FLIP   ZERO   CUT    SWAP   DELETE EIO    ENOSPC SHORT
            OBJECT      READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            OBJECT      WRITE  b      b      b      b      b      b      b      b
            RECORD      READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            RECORD      WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    h
            BOTH        READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            BOTH        WRITE  n      n      n      n      n      n      n      n
            NAME        READ   l      l      l      l      START  l      a      l
            NAME        WRITE  l      l      l      l      m      m      m      l
            DETAILS     READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            DETAILS     WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    OLD
            WORK        READ   KEY    KEY    KEY    KEY    KEY    KEY    a      g
            WORK        WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    OLD
            PART        READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            PART        WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    OLD
            PART_RECORD READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            PART_RECORD WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    h
            UPLOAD      READ   KEY    KEY    KEY    KEY    KEY    KEY    a      KEY
            UPLOAD      WRITE  OLD    OLD    OLD    OLD    OLD    OLD    OLD    OLD
            IDENTITY    READ   START  START  START  START  START  START  a      f
            IDENTITY    WRITE  c      c      c      c      c      START  c      c
            DRIVES      READ   START  START  START  START  START  START  a      f
            DRIVES      WRITE e      e      e      e      e      j      j      e
            ENDED       READ   START  START  START  START  START  START  a      f
            ENDED       WRITE e      e      e      e      e      k      k      e
            SST         READ   ALL    ALL    ALL    ALL    ALL    ALL    a      f
            SST         WRITE  d      d      d      d      d      d      d      d
            WAL         READ   ALL    ALL    ALL    i      ALL    ALL    a      f
            WAL         WRITE  d      d      d      d      d      d      d      d
            MANIFEST    READ   ALL    ALL    ALL    ALL    ALL    ALL    a      f
            MANIFEST    WRITE  d      d      d      d      d      d      d      d
            CURRENT     READ   ALL    ALL    ALL    ALL    ALL    ALL    a      f
            CURRENT     WRITE  d      d      d      d      d      d      d      d
            SYNCED      READ   ALL    ALL    ALL    ALL    ALL    ALL    a      f
            SYNCED      WRITE  e      e      e      e      e      e      e      e
            STATE       READ   COPY   COPY   COPY   COPY   COPY   COPY   a      f
            STATE       WRITE  e      e      e      e      e      COPY   e      e
            """;

    private FaultTable() {}

    /// The cells with a promise.
    static List<Row> rows() {
        var lines = TABLE.lines().toList();
        var harms = lines.getFirst().split(" +");
        var rows = new ArrayList<Row>();
        for (var line : lines.subList(1, lines.size())) {
            var cells = line.split(" +");
            for (int column = 2; column < cells.length; column++) {
                var cell = cells[column];
                if (Arrays.stream(Promise.values())
                        .anyMatch(promise -> promise.name().equals(cell))) {
                    rows.add(new Row(
                            Kind.valueOf(cells[0]),
                            Seen.valueOf(cells[1]),
                            Harm.valueOf(harms[column]),
                            Promise.valueOf(cell)));
                }
            }
        }
        return rows;
    }

    /// The letters of those without, one for each.
    static List<String> reasons() {
        return TABLE.lines()
                .skip(1)
                .flatMap(line -> Arrays.stream(line.split(" +")).skip(2))
                .filter(cell -> cell.length() == 1)
                .toList();
    }
}
