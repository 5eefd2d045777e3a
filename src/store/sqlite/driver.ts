import type { Driver } from '../sql/driver.ts';
import { SqliteFile } from './admin/file.ts';
import type { Database } from './database/database.ts';
import { SqliteSql } from './database/sqlite-sql.ts';
import { SqliteTextIndex } from './text/text-search.ts';
import { SqliteVectorIndex } from './vectors/vectors.ts';

export function sqliteDriver(db: Database): Driver {
  return {
    sql: new SqliteSql(db),
    text: new SqliteTextIndex(db),
    vectors: new SqliteVectorIndex(db),
    storage: new SqliteFile(db),
  };
}
