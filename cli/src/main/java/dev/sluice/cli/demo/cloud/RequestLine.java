package dev.sluice.cli.demo.cloud;

/// The method and the path of a request, without its query.
record RequestLine(String method, String path) {
    boolean isObject() {
        int bucketEnds = path.indexOf('/', 1);
        return bucketEnds > 0 && bucketEnds < path.length() - 1;
    }
}
