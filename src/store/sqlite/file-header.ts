import { closeSync, openSync, readSync } from 'node:fs';

/** What a SQLite file says of itself. */
export interface FileHeader {
  readonly applicationId: number;
  readonly userVersion: number;
}

/** Of the first 100 bytes, https://www.sqlite.org/fileformat2.html#the_database_header */
const LENGTH = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** Told in no time and without a lock; `null` for a file that SQLite did not make. Throws where it may not be written. */
export function readHeader(path: string): FileHeader | null {
  const header = Buffer.alloc(LENGTH);
  const file = openSync(path, 'r+');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
  return {
    applicationId: header.readUInt32BE(APPLICATION_ID_AT),
    userVersion: header.readUInt32BE(USER_VERSION_AT),
  };
}
