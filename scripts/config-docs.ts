// Writes docs/configuration.md from the schema: `node scripts/config-docs.ts`. A test checks that it is up to date.
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { type ConfigKey, CONFIG_KEYS } from '../src/config/keys.ts';

const HEAD = `# Configuration

<!-- Written by \`node scripts/config-docs.ts\` from src/config/schema.ts; do not edit it. -->

Loci works without configuration. Settings are in \`loci.yaml\` in \`$LOCI_HOME\` (\`~/.loci\` by default). Edit the file, or use
\`loci config set KEY VALUE\`. \`loci config show\` prints the effective settings and where each comes from: the environment
overrides the file, and the file overrides the defaults.

- An unknown key or a wrong value is an error that names the line. A key of an earlier version is ignored with a warning
  that says what to write instead; \`loci doctor\` lists these too.
- The settings of memory-shadowdb and of OpenClaw's \`memorySearch.readOnlySources\` can be pasted. Their keys are mapped to those
  below, with warnings, and the file may be JSON with comments.
- Relative paths start at the folder of \`loci.yaml\`; in environment variables, at the current folder. \`~\` is your home
  folder.
- A process that runs (\`loci serve\`, \`ui\`, \`mcp\`, \`watch\`) reads \`loci.yaml\` again when it has changed. \`namespace\` and what is below
  \`store\`, \`embedding\`, \`rerank\`, \`server\`, \`auth\` and \`log\` change when it is started again. Its log and \`loci status\` say so, and also
  if the file is wrong: the settings of before then stay in force. The environment and the settings of OpenClaw are read once.
- A duration is a number with a unit (\`500ms\`, \`5s\`, \`2m\`, \`1h\`, \`1d\`), or a number of milliseconds.
- An empty environment variable counts as unset. The value of a list is JSON or YAML.
- \`LOCI_COMMAND_SOCKET=off\` is not a setting but for one process: a server with it does not answer commands of the command
  line, and a command with it asks no server.

\`\`\`yaml
namespace: me
vaults:
  - path: ~/notes
    project: personal
    projects:
      Work/Kitchen: kitchen-remodel
search:
  limit: 5
\`\`\`
`;

/** A value as it is written in YAML: `true`, `5s`, `[]`. */
function yamlOf(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow' }).trim();
}

function entry(key: ConfigKey): string {
  const facts = [`Expected: ${key.expects}.`];
  if (key.default !== undefined) facts.push(`Default: \`${yamlOf(key.default)}\`.`);
  if (key.env !== null) facts.push(`Environment: \`${key.env}\`.`);
  const body = key.type === 'section' ? key.description : `${key.description}\n\n${facts.join(' ')}`;
  return `${opensSection(key) ? '##' : '###'} \`${key.path}\`\n\n${body}\n`;
}

/** Whether a key is a map of keys, or a list whose entries have keys. */
function opensSection(key: ConfigKey): boolean {
  return CONFIG_KEYS.some(({ path }) => path.startsWith(`${key.path}.`) || path.startsWith(`${key.path}[]`));
}

/** The text of the page. */
export function renderConfigDocs(): string {
  const single = CONFIG_KEYS.filter((key) => !key.path.includes('.') && !opensSection(key));
  const grouped = CONFIG_KEYS.filter((key) => !single.includes(key));
  return [HEAD, '## Top level\n', ...single.map(entry), ...grouped.map(entry)].join('\n');
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigDocs());
}
