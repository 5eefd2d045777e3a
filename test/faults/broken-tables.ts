import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Runs statements on the file of a store that nobody has open. */
export function sql(statements: string): (path: string) => void {
  return (path) => {
    using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database.exec(statements);
  };
}

/** Overwrites the first page of each table and index whose table has this name, or a name with this beginning before `*`. */
export function overwrite(name: string): (path: string) => void {
  return (path) => {
    using database = new DatabaseSync(path, { readOnly: true });
    const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
    const roots = database
      .prepare(`SELECT rootpage AS page FROM sqlite_schema WHERE tbl_name GLOB ? AND rootpage > 0`)
      .all(name) as { page: number }[];
    if (roots.length === 0) throw new Error(`no table is called ${name}`);
    const file = openSync(path, 'r+');
    for (const { page } of roots) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
    closeSync(file);
  };
}
