package dev.sluice.common.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Header fields in the order they stand in the message; names compare without regard to case. Immutable once built.
public final class Headers {
    public static final Headers EMPTY = new Headers(List.of());

    private final List<String> namesAndValues;

    private Headers(List<String> namesAndValues) {
        this.namesAndValues = namesAndValues;
    }

    public static Headers of(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("a header name without a value");
        }
        return new Headers(List.of(namesAndValues));
    }

    public static Builder builder() {
        return new Builder();
    }

    /// The first value of a field.
    public Optional<String> first(String name) {
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            if (namesAndValues.get(i).equalsIgnoreCase(name)) {
                return Optional.of(namesAndValues.get(i + 1));
            }
        }
        return Optional.empty();
    }

    public List<String> all(String name) {
        var values = new ArrayList<String>(1);
        forEach((each, value) -> {
            if (each.equalsIgnoreCase(name)) {
                values.add(value);
            }
        });
        return values;
    }

    public boolean has(String name) {
        return first(name).isPresent();
    }

    public boolean isEmpty() {
        return namesAndValues.isEmpty();
    }

    public void forEach(BiConsumer<String, String> each) {
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            each.accept(namesAndValues.get(i), namesAndValues.get(i + 1));
        }
    }

    /// These fields and one more.
    public Headers with(String name, String value) {
        return builder().addAll(this).add(name, value).build();
    }

    /// The others.
    public Headers without(String name) {
        var kept = builder();
        forEach((each, value) -> {
            if (!each.equalsIgnoreCase(name)) {
                kept.add(each, value);
            }
        });
        return kept.build();
    }

    @Override
    public String toString() {
        return namesAndValues.toString();
    }

    public static final class Builder {
        /// Ten fields, as most messages have fewer.
        private static final int USUAL_SIZE = 20;

        private final List<String> namesAndValues = new ArrayList<>(USUAL_SIZE);

        public Builder add(String name, String value) {
            namesAndValues.add(name);
            namesAndValues.add(value);
            return this;
        }

        public Builder addAll(Headers headers) {
            namesAndValues.addAll(headers.namesAndValues);
            return this;
        }

        public Headers build() {
            return new Headers(List.copyOf(namesAndValues));
        }
    }
}
