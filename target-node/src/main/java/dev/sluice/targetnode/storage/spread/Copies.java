package dev.sluice.targetnode.storage.spread;

/// How many drives keep each object of a bucket.
///
/// @param wanted by its property: what writes make
/// @param least every object has at least so many
/// @param most no object has more
public record Copies(int wanted, int least, int most) {
    public static final Copies ONE = new Copies(1, 1, 1);

    Copies wanting(int number) {
        return new Copies(number, Math.min(least, number), Math.max(most, number));
    }

    Copies settled() {
        return new Copies(wanted, wanted, wanted);
    }

    public boolean isSettled() {
        return least == wanted && most == wanted;
    }
}
