-- Runs once, when the database server starts for the first time. Loci gets a database, a role that owns the tables and may do nothing
-- else, and a role for its servers, to which the policies of the tables show one namespace at a time: docs/postgres.md.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
CREATE ROLE loci LOGIN PASSWORD :'password';
-- The same password, because a server connects as both.
CREATE ROLE loci_server LOGIN PASSWORD :'password';
-- The superuser then connects only from within the container.
ALTER ROLE postgres PASSWORD NULL;
CREATE DATABASE loci OWNER loci ENCODING UTF8 TEMPLATE template0;
\connect loci
CREATE EXTENSION vector;
GRANT USAGE ON SCHEMA public TO loci_server;
ALTER DEFAULT PRIVILEGES FOR ROLE loci IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO loci_server;
ALTER DEFAULT PRIVILEGES FOR ROLE loci IN SCHEMA public GRANT USAGE ON SEQUENCES TO loci_server;
