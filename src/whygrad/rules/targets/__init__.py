"""Networks that are compared with each other: what a loss is built of, twins, targets, how they are kept in step."""
