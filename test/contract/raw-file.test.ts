import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesContaining } from './raw-file.ts';

const SECRET = 'geheim 🗝 hunter2';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-raw-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('filesThatHold', () => {
  it('finds a text in UTF-8 and UTF-16 at any offset, in any folder, and nothing else', () => {
    mkdirSync(join(folder, 'backups'));
    const utf16 = Buffer.from(SECRET, 'utf16le');
    writeFileSync(join(folder, 'a.db'), `x${SECRET}y`);
    writeFileSync(join(folder, 'b.bin'), Buffer.concat([Buffer.from([0]), utf16, Buffer.from([0])]));
    writeFileSync(join(folder, 'backups', 'c.bin'), Buffer.from(utf16).swap16());
    writeFileSync(join(folder, 'd.txt'), SECRET.slice(1));
    expect(filesContaining(folder, SECRET)).toEqual(['a.db', 'b.bin', join('backups', 'c.bin')]);
  });

  it('finds a text in the log of a database and in a page with a deleted row', () => {
    const database = new DatabaseSync(join(folder, 'loci.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF; CREATE TABLE note (content TEXT)');
    database.prepare('INSERT INTO note VALUES (?)').run(SECRET);
    expect(filesContaining(folder, SECRET)).toEqual(['loci.db-wal']);
    database.exec('DELETE FROM note');
    database.close();
    expect(filesContaining(folder, SECRET)).toEqual(['loci.db']);
  });

  it('throws if the folder has no file or the text is shorter than eight characters', () => {
    expect(() => filesContaining(folder, SECRET)).toThrow('no file');
    expect(() => filesContaining(folder, 'hunter2')).toThrow('shorter');
  });
});
