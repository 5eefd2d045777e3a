import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ROOT } from './installation.ts';
import type { OpenclawHome } from './openclaw.ts';

const run = promisify(execFile);

/** The remodel of seed S: a note about it, and a todo that has no tag, names no kitchen and has one word of the note. */
const NOTE = `# Kitchen remodel

We want an induction oven. The cabinets come in May, with a backsplash of pale tiles along the counter.
`;
export const TODO = 'Buy tile samples from Home Depot';
/** The owner wants no model to have it. */
export const PRIVATE_TODO = 'Kitchen remodel: what it really costs';

/** The person whose private session is the only one in which OpenClaw recalls conversations by itself. */
export const RECALLING = 'eve';

export const STARTUP = 'You are Ada, who looks after the house of the Okonjo family.';

/** Two agents with a workspace each, and the memory of the owner: a vault, todos and startup text. */
export async function furnish(home: OpenclawHome): Promise<void> {
  const vault = join(home.folder, 'vault');
  const workspaces = {
    main: 'The gas man comes on Friday at nine.',
    kids: 'The rabbit eats no cabbage on Sundays.',
  };
  for (const [agent, text] of Object.entries(workspaces)) {
    mkdirSync(join(home.workspace(agent), 'memory'), { recursive: true });
    writeFileSync(join(home.workspace(agent), 'MEMORY.md'), `# Memory\n\n- ${text}\n`);
    writeFileSync(join(home.workspace(agent), 'AGENTS.md'), '# Agent\n\nA zebra is no memory.\n');
  }
  mkdirSync(vault, { recursive: true });
  mkdirSync(home.lociHome, { recursive: true });
  writeFileSync(join(vault, 'Kitchen remodel.md'), NOTE);
  writeFileSync(join(home.lociHome, 'todos.json'), JSON.stringify([{ id: 'tiles', text: TODO }]));
  writeFileSync(join(home.lociHome, 'private.json'), JSON.stringify([{ id: 'cost', text: PRIVATE_TODO }]));
  const sources = [
    { id: 'todos', name: 'Google Tasks', command: 'cat todos.json' },
    { id: 'private', name: 'Private', command: 'cat private.json', includeInContext: false },
  ];
  writeFileSync(
    join(home.lociHome, 'loci.yaml'),
    stringify({ vaults: [{ name: 'notes', path: vault }], sources }),
  );
  await loci(home, 'index');
  await loci(home, 'sources', 'approve', 'todos');
  await loci(home, 'sources', 'approve', 'private');
  await loci(home, 'startup', 'set', 'soul', STARTUP);
}

/** Runs the command of the owner. */
export async function loci(home: OpenclawHome, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(ROOT, 'bin', 'loci.js'), ...args], {
    env: home.env,
    cwd: home.folder,
    timeout: 60_000,
  });
  return stdout;
}
