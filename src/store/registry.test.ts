import { expect, it } from 'vitest';
import { assertPath } from './registry.ts';

it.each([
  'POSTGRES://loci:secret@db/loci',
  ' postgres://loci:secret@db/loci',
  'postgres:/loci:secret@db/loci',
  'postgres//loci:secret@db/loci',
  'postgresql+psycopg://loci:secret@db/loci',
  'jdbc:postgresql://db/loci?password=secret',
  'host=db password=secret dbname=loci',
  'mysql://db/loci',
])('%s is not taken for a path, and is not named', (text) => {
  expect(() => assertPath(text, 'to')).toThrow(/^to: is neither a path nor a connection string$/);
});

it.each(['/backups/postgres-copy.db', 'loci.db', 'C:\\loci.db'])('%s is a path', (text) => {
  assertPath(text, 'to');
});
