package dev.sluice.cli.demo.dataset;

import java.util.List;
import java.util.Locale;

/// The ten classes of pictures: what stands in the foreground. Coordinates run from -1 to 1 over the motif's
/// own square.
public enum Motif {
    DISC(0) {
        @Override
        double inside(double x, double y) {
            return 0.8 - Math.hypot(x, y);
        }
    },
    RING(1) {
        @Override
        double inside(double x, double y) {
            return 0.18 - Math.abs(Math.hypot(x, y) - 0.62);
        }
    },
    SQUARE(2) {
        @Override
        double inside(double x, double y) {
            return 0.7 - Math.max(Math.abs(x), Math.abs(y));
        }
    },
    DIAMOND(3) {
        @Override
        double inside(double x, double y) {
            return 0.9 - 1.4 * Math.abs(x) - Math.abs(y);
        }
    },
    TRIANGLE(4) {
        @Override
        double inside(double x, double y) {
            return Math.min(0.55 - y, 0.4 + 0.5 * y - 0.87 * Math.abs(x));
        }
    },
    CROSS(5) {
        @Override
        double inside(double x, double y) {
            double longer = Math.max(Math.abs(x), Math.abs(y));
            return Math.min(0.85 - longer, 0.22 - Math.min(Math.abs(x), Math.abs(y)));
        }
    },
    STAR(6) {
        @Override
        double inside(double x, double y) {
            return 0.62 + 0.25 * Math.cos(5 * Math.atan2(y, x)) - Math.hypot(x, y);
        }
    },
    STRIPES(7) {
        @Override
        double inside(double x, double y) {
            return 0.25 * Math.sin(9 * x);
        }
    },
    CHECKER(8) {
        @Override
        double inside(double x, double y) {
            return 0.3 * Math.sin(7 * x) * Math.sin(7 * y);
        }
    },
    WAVES(9) {
        @Override
        double inside(double x, double y) {
            return 0.25 * Math.sin(8 * y + 2 * Math.sin(4 * x));
        }
    };

    static final List<Motif> ALL = List.of(values());

    private final int label;

    Motif(int label) {
        this.label = label;
    }

    /// Roughly the distance to the edge: positive inside the motif, negative outside.
    abstract double inside(double x, double y);

    public int label() {
        return label;
    }

    public String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
