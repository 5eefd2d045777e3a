import { Client } from 'pg';
import { testDatabase } from '../postgres/database.ts';

const COLUMNS = `id bigserial PRIMARY KEY, content text NOT NULL, title text, category text NOT NULL DEFAULT 'general',
  record_type text NOT NULL DEFAULT 'fact', tags text[] NOT NULL DEFAULT '{}', embedding vector(3),
  fts tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(title, '') || ' ' || content)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()`;

/** The tables of ShadowDB, in the versions that its repository has had. */
const TABLES = {
  /** Of the command line before the plugin. */
  first: `CREATE TABLE startup (key text PRIMARY KEY, content text NOT NULL);
    CREATE TABLE memories (id serial PRIMARY KEY, title text, content text, content_pyramid text, category text, summary text,
      source_file text, tags text[], embedding vector(3), fts tsvector)`,
  /** Of the plugin when it could not delete yet. */
  superseded: `CREATE TABLE startup (key text PRIMARY KEY, content text NOT NULL, priority integer NOT NULL DEFAULT 0,
      reinforce boolean NOT NULL DEFAULT FALSE, updated_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE memories (${COLUMNS}, summary text, metadata jsonb NOT NULL DEFAULT '{}', contradicted boolean NOT NULL DEFAULT FALSE,
      superseded_by bigint REFERENCES memories(id))`,
  /** As its README had it. */
  documented: `CREATE TABLE startup (key text PRIMARY KEY, content text NOT NULL, priority integer NOT NULL DEFAULT 0,
      reinforce boolean NOT NULL DEFAULT FALSE, updated_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE memories (${COLUMNS}, deleted_at timestamptz)`,
  /** The last version, with all of its migrations. */
  last: `CREATE TABLE primer (key text PRIMARY KEY, content text NOT NULL, priority integer NOT NULL DEFAULT 0,
      always boolean NOT NULL DEFAULT FALSE, enabled boolean NOT NULL DEFAULT TRUE, updated_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE memories (${COLUMNS}, deleted_at timestamptz, metadata jsonb NOT NULL DEFAULT '{}',
      parent_id bigint REFERENCES memories(id) ON DELETE SET NULL, priority integer NOT NULL DEFAULT 5,
      confidence double precision NOT NULL DEFAULT 1, confidence_decay_rate double precision NOT NULL DEFAULT 0,
      last_verified_at timestamptz, is_timeless boolean NOT NULL DEFAULT FALSE, source text, source_id text,
      relevance_tier smallint NOT NULL DEFAULT 1, embedding_index vector(2));
    CREATE TABLE memory_edges (from_id integer NOT NULL, to_id integer NOT NULL, type text NOT NULL, PRIMARY KEY (from_id, to_id, type));
    CREATE TABLE documents (id bigserial PRIMARY KEY, source text NOT NULL, source_id text NOT NULL UNIQUE);
    CREATE TABLE memories_meta (key text PRIMARY KEY, value text NOT NULL)`,
} as const;

type Version = keyof typeof TABLES;

/** A database for the tables of ShadowDB. */
export interface Shadowdb extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
  /** Removes everything, makes the tables of a version, and runs the statements. */
  reset(version: Version, statements?: string): Promise<void>;
}

export async function shadowdb(): Promise<Shadowdb> {
  const database = await testDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return {
    url: database.url,
    client,
    reset: async (version, statements = '') => {
      await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE EXTENSION vector');
      await client.query(`${TABLES[version]}; ${statements}`);
    },
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}
