// Indexes the notes of a folder, or searches them, in a separate process that loads only what an installed package loads. Prints the
// figures of `adapters.ts`.
//   node adapter-process.mjs TASK.json
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const RESULTS = 10;
const SETTLE_INTERVAL_MS = 100;
const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** An adapter of Loci. It is ready when everything is indexed, and embedded. */
async function openAdapter() {
  const { createAdapter } = await import(task.code);
  const warnings = [];
  const adapter = await createAdapter(task.settings, {
    home: task.folder,
    onWarning: (message) => warnings.push(message),
  });
  await adapter.registerPools([{ id: 'notes', tier: 'hot', path: task.notes }]);
  if (adapter.id !== task.system) throw new Error(warnings.join('\n'));
  return {
    settled: async () => {
      for (;;) {
        const { ok, message, details } = await adapter.status();
        if (!(details.waiting > 0)) {
          if (!ok) throw new Error(message);
          return;
        }
        await setTimeout(SETTLE_INTERVAL_MS);
      }
    },
    search: (query) => adapter.recall({ agentId: 'bench', query, limit: RESULTS }),
    close: () => adapter.close(),
  };
}

/** One FTS5 table of whole notes: any of the words, by BM25. It does not see what changes in the files. */
function openFts5() {
  const db = new DatabaseSync(join(task.folder, 'plain.db'));
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS note USING fts5(path UNINDEXED, text, tokenize = 'porter unicode61')",
  );
  if (task.phase === 'index') {
    db.exec('BEGIN');
    const insert = db.prepare('INSERT INTO note VALUES (?, ?)');
    for (const path of readdirSync(task.notes))
      insert.run(path, readFileSync(join(task.notes, path), 'utf8'));
    db.exec('COMMIT');
  }
  const select = db.prepare(
    `SELECT path, snippet(note, 1, '', '', '…', 40) FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT ${RESULTS}`,
  );
  return {
    settled: () => undefined,
    search: (_, words) => select.all(words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')),
    close: () => db.close(),
  };
}

/** `grep -r` for all words at once, and the notes with the most different words, as an agent would do it. */
function openGrep() {
  const grep = promisify(execFile);
  return {
    settled: () => undefined,
    search: async (_, words) => {
      const pattern = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '.')).join('|');
      const { stdout } = await grep('grep', ['-rioE', pattern, task.notes], { maxBuffer: 2 ** 30 }).catch(
        (error) => {
          // Nothing is found.
          if (error.code === 1) return { stdout: '' };
          throw error;
        },
      );
      const found = new Map();
      for (const line of stdout.split('\n')) {
        const [path, word = ''] = line.split(':');
        if (!found.has(path)) found.set(path, new Set());
        found.get(path).add(word.toLowerCase());
      }
      return [...found].sort(([, a], [, b]) => b.size - a.size).slice(0, RESULTS);
    },
    close: () => undefined,
  };
}

const OPEN = { fts5: openFts5, grep: openGrep };
const start = performance.now();
const system = await (OPEN[task.system] ?? openAdapter)();
if (task.phase === 'index') {
  await system.settled();
  console.log(JSON.stringify({ indexMs: performance.now() - start }));
} else {
  const times = [];
  for (const { text, words } of task.queries) {
    const begin = times.length === 0 ? start : performance.now();
    await system.search(text, words);
    times.push(performance.now() - begin);
  }
  const [coldMs, ...warmMs] = times;
  console.log(JSON.stringify({ coldMs, warmMs, rssMb: process.memoryUsage.rss() / 1e6 }));
}
await system.close();
