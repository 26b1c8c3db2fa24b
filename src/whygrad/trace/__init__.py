"""Live programs to recordings. One recorder per framework, loaded only when the framework is."""
