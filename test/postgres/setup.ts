import { findPrograms, startServer } from './server.ts';

/**
 * Starts PostgreSQL for all tests, unless `LOCI_TEST_POSTGRES_URL` names a server. Where no program of a server with pgvector is
 * found, each test file that needs one starts PGlite.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['LOCI_TEST_POSTGRES_URL'] ?? '';
  if (given !== '') {
    console.log('PostgreSQL for tests: that of LOCI_TEST_POSTGRES_URL');
    return undefined;
  }
  const programs = findPrograms();
  console.log(`PostgreSQL for tests: ${programs === null ? 'PGlite' : `${programs.root}${programs.folder}`}`);
  if (programs === null) return undefined;
  const server = await startServer(programs);
  process.env['LOCI_TEST_POSTGRES_URL'] = server.url;
  return () => server.close();
}
