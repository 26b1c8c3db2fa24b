"""What pages need to run is no test of ours."""

collect_ignore = ["setups"]
