-- Runs once, when the database server starts for the first time: Loci gets a database and a role that may do nothing else.
\set ON_ERROR_STOP on
\getenv password POSTGRES_PASSWORD
CREATE ROLE loci LOGIN PASSWORD :'password';
-- The superuser then connects only from within the container.
ALTER ROLE postgres PASSWORD NULL;
CREATE DATABASE loci OWNER loci ENCODING UTF8 TEMPLATE template0;
\connect loci
CREATE EXTENSION vector;
