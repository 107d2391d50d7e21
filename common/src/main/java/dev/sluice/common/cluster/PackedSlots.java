package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.util.StdConverter;
import dev.sluice.common.cluster.Command.SlotCommand;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.Command.SlotEpoch;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/// The JSON form of many slots with their epochs: those of one member together, in the order in which they were named.
///
/// @param drive empty, and the incarnation 0, where no member is named
/// @param slots in base64: for each slot, its difference to the one before (at first to 0), then its epoch's; both in
///     zigzag and unsigned LEB128
@JsonFormat(shape = JsonFormat.Shape.ARRAY)
@JsonPropertyOrder({"group", "drive", "incarnation", "slots"})
record PackedSlots(int group, String drive, int incarnation, String slots) {
    PackedSlots {
        Objects.requireNonNull(drive, "drive");
        Objects.requireNonNull(slots, "slots");
    }

    private static final class Output {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private long slot;
        private long epoch;

        void add(int nextSlot, long nextEpoch) {
            number(nextSlot - slot);
            number(nextEpoch - epoch);
            slot = nextSlot;
            epoch = nextEpoch;
        }

        String text() {
            return Base64.getEncoder().encodeToString(bytes.toByteArray());
        }

        private void number(long signed) {
            long left = (signed << 1) ^ (signed >> 63);
            while ((left & ~0x7fL) != 0) {
                bytes.write((int) (left | 0x80));
                left >>>= 7;
            }
            bytes.write((int) left);
        }
    }

    /// Takes one slot after the other.
    private interface Each {
        void is(int slot, long epoch);
    }

    private void each(Each each) {
        var in = ByteBuffer.wrap(Base64.getDecoder().decode(slots));
        long slot = 0;
        long epoch = 0;
        while (in.hasRemaining()) {
            slot += number(in);
            epoch += number(in);
            if (slot != (int) slot) {
                throw malformed();
            }
            each.is((int) slot, epoch);
        }
    }

    private static long number(ByteBuffer in) {
        long number = 0;
        for (int shift = 0; in.hasRemaining() && shift < Long.SIZE; shift += 7) {
            byte next = in.get();
            number |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return (number >>> 1) ^ -(number & 1);
            }
        }
        throw malformed();
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("the slots of a call are malformed");
    }

    private static <T> List<T> requireFew(List<T> slots) {
        if (slots.size() > SlotCommand.MOST_SLOTS) {
            throw new IllegalArgumentException("a call with %d slots".formatted(slots.size()));
        }
        return slots;
    }

    private record Who(int group, String drive, int incarnation) {
        PackedSlots with(Output output) {
            return new PackedSlots(group, drive, incarnation, output.text());
        }
    }

    private static <T> List<PackedSlots> pack(List<T> all, Function<T, Who> who, Function<T, SlotEpoch> slot) {
        var packed = new LinkedHashMap<Who, Output>();
        for (var one : all) {
            var named = slot.apply(one);
            packed.computeIfAbsent(who.apply(one), _ -> new Output()).add(named.slot(), named.epoch());
        }
        var packs = new ArrayList<PackedSlots>();
        packed.forEach((member, output) -> packs.add(member.with(output)));
        return packs;
    }

    static final class FromEpochs extends StdConverter<List<SlotEpoch>, List<PackedSlots>> {
        @Override
        public List<PackedSlots> convert(List<SlotEpoch> slots) {
            return pack(slots, one -> new Who(one.group(), "", 0), one -> one);
        }
    }

    static final class ToEpochs extends StdConverter<List<PackedSlots>, List<SlotEpoch>> {
        @Override
        public List<SlotEpoch> convert(List<PackedSlots> packs) {
            var slots = new ArrayList<SlotEpoch>();
            packs.forEach(pack -> pack.each((slot, epoch) -> slots.add(new SlotEpoch(pack.group, slot, epoch))));
            return requireFew(slots);
        }
    }

    static final class FromDrives extends StdConverter<List<SlotDrive>, List<PackedSlots>> {
        @Override
        public List<PackedSlots> convert(List<SlotDrive> slots) {
            return pack(
                    slots,
                    one -> new Who(one.group(), one.drive(), one.incarnation()),
                    one -> new SlotEpoch(one.group(), one.slot(), one.epoch()));
        }
    }

    static final class ToDrives extends StdConverter<List<PackedSlots>, List<SlotDrive>> {
        @Override
        public List<SlotDrive> convert(List<PackedSlots> packs) {
            var slots = new ArrayList<SlotDrive>();
            packs.forEach(pack -> pack.each(
                    (slot, epoch) -> slots.add(new SlotDrive(pack.group, slot, epoch, pack.drive, pack.incarnation))));
            return requireFew(slots);
        }
    }
}
