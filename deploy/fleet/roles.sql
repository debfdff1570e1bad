-- Users with the least rights: one that owns the tables, one for the nodes, which cannot create or alter them, and one for
-- people's own SQL, which can read the views of the schema fingerpost.
-- psql --set database=fingerpost --file deploy/fleet/roles.sql postgres
-- Then, and before each new version: FINGERPOST_STORE_USER=fingerpost_owner fingerpost fleet prepare --config FILE
CREATE ROLE fingerpost_owner LOGIN;
CREATE ROLE fingerpost LOGIN;
CREATE ROLE fingerpost_reader LOGIN;
-- \password fingerpost_owner
-- \password fingerpost
-- \password fingerpost_reader
CREATE DATABASE :"database" OWNER fingerpost_owner ENCODING 'UTF8' TEMPLATE template0;
\connect :"database"
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO fingerpost_owner;
GRANT USAGE ON SCHEMA public TO fingerpost;
ALTER DEFAULT PRIVILEGES FOR ROLE fingerpost_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO fingerpost;
ALTER DEFAULT PRIVILEGES FOR ROLE fingerpost_owner GRANT USAGE, SELECT ON SEQUENCES TO fingerpost;
CREATE SCHEMA fingerpost AUTHORIZATION fingerpost_owner;
GRANT USAGE ON SCHEMA fingerpost TO fingerpost_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE fingerpost_owner IN SCHEMA fingerpost GRANT SELECT ON TABLES TO fingerpost_reader;
