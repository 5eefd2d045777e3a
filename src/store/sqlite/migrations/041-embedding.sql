-- PostgreSQL has a type `vector`, and no table may have the name of a type.
ALTER TABLE vector RENAME TO embedding;
