import { LociError } from '../../../core/errors.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import type { ImportJob } from '../items/item-type.ts';
import { fileName, isRecordFile, RecordFileImporter } from './record-files.ts';
import { importStartupFiles, isStartupFile } from './startup-files.ts';
import type { WorkspaceFiles } from './workspace-files.ts';
import { sourceStateChange, sourceStates } from '../../../store/items/kinds.ts';

const TEXT_FILE = /\.(?:md|markdown|txt)$/i;

/** Whether the import reads this file or folder of an OpenClaw workspace. */
export function isWorkspacePath(path: string): boolean {
  if (isRecordFile(path) || isStartupFile(path) || /^memory$/i.test(path)) return true;
  if (!/^memory\//i.test(path)) return false;
  const name = fileName(path);
  return !name.startsWith('.') && (TEXT_FILE.test(name) || !name.includes('.'));
}

/**
 * Imports the files of an OpenClaw agent as records and startup entries, and applies the changes since the last import.
 * @throws LociError `invalid_input` for a folder without such files, `conflict` for the folder of another agent
 */
export async function importWorkspace(job: ImportJob, files: WorkspaceFiles, agent: string): Promise<void> {
  const { context, options, report } = job;
  for (const { location, message } of files.problems) report.addProblem(location, message);
  const paths = files.paths.filter((path) => isWorkspacePath(path) && TEXT_FILE.test(path));
  if (paths.length === 0)
    throw new LociError(
      'invalid_input',
      `${files.name} is neither an export nor the folder of an OpenClaw agent`,
      { hint: 'Such a folder has MEMORY.md, USER.md, memory/*.md, SOUL.md, IDENTITY.md or AGENTS.md.' },
    );
  const source = agent === '' ? 'openclaw' : `openclaw:${agent}`;
  await assertSameFolder(job, files, source);
  const recordPaths = paths.filter((path) => !isStartupFile(path));
  const importer = new RecordFileImporter(job, source);
  const removed = files.root === null ? [] : await importer.removedFiles(recordPaths);
  const total = recordPaths.length + removed.length;
  for (const [i, path] of [...recordPaths, ...removed].entries()) {
    assertNotAborted(options);
    await importer.importFile(path, i < recordPaths.length ? files : null);
    options.onProgress?.({ stage: 'reading', subject: files.name, done: i + 1, total });
  }
  await importStartupFiles(job, files, agent);
  if (files.root !== null && !options.dry_run)
    await context.store.records.commit(context.namespace, {
      items: [sourceStateChange(`import:${source}`, { readAt: context.now(), root: files.root })],
    });
}

/** Importing another agent's folder under the same name would delete the records of the first folder. */
async function assertSameFolder(
  { context: { store, namespace }, options: { overwrite } }: ImportJob,
  { root, name }: WorkspaceFiles,
  source: string,
): Promise<void> {
  const earlier = (await sourceStates(store.records, namespace)).get(`import:${source}`)?.root ?? null;
  if (root === null || earlier === null || earlier === root || overwrite) return;
  throw new LociError(
    'conflict',
    `the records of ${source} were imported from ${earlier}, not from ${name}`,
    {
      hint: 'Name another agent with --agent, or confirm with --overwrite that the folder moved.',
    },
  );
}
