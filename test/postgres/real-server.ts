import { findPrograms, installPostgres } from './server.ts';
import { setup as start } from './setup.ts';

/** Starts a real server for the tests, which is installed where there is none. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (findPrograms() === null) await installPostgres();
  return start();
}
