import type * as FileSystem from 'node:fs';

/**
 * `node:fs` without importing it as an ES module. The import would also load its promises and streams in each thread,
 * which takes 5% of the time to the first vector.
 */
export const fs: typeof FileSystem = process.getBuiltinModule('node:fs');
