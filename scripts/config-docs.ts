// Writes docs/configuration.md from the schema: `node scripts/config-docs.ts`. A test holds the two together.
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { type ConfigKey, describeConfig } from '../src/config/keys.ts';

const HEAD = `# Configuration

<!-- Written by \`node scripts/config-docs.ts\` from src/config/schema.ts; a change here is overwritten. -->

Loci needs no configuration. What you want otherwise goes into \`loci.yaml\` in \`$LOCI_HOME\` (\`~/.loci\` unless that is
set), by hand or with \`loci config set KEY VALUE\`. \`loci config show\` prints what is in force and where each value came
from: the environment wins over the file, and the file over the defaults.

- An unknown key or a wrong value is an error that names the line; nothing is ignored in silence.
- Relative paths start at the folder of \`loci.yaml\`; those of an environment variable at the current folder. \`~\` is your
  home folder.
- A duration is a number with a unit (\`500ms\`, \`5s\`, \`2m\`, \`1h\`, \`1d\`), or milliseconds. A size is \`500KB\`, \`5MB\`, \`1GB\`
  (powers of 1000), \`KiB\`, \`MiB\`, \`GiB\` (of 1024), or bytes.
- An environment variable that is empty counts as unset; a list is written in it as JSON or YAML.

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

/** `true`, `5s`, `[]`: a value as it stands in a YAML file. */
function yamlOf(value: unknown): string {
  return stringify(value).trim();
}

function entry(key: ConfigKey): string {
  const facts = [`Expected: ${key.expects}.`];
  if (key.default !== undefined) facts.push(`Default: \`${yamlOf(key.default)}\`.`);
  if (key.env !== null) facts.push(`Environment: \`${key.env}\`.`);
  const body = key.type === 'section' ? key.description : `${key.description}\n\n${facts.join(' ')}`;
  return `${opensSection(key) ? '##' : '###'} \`${key.path}\`\n\n${body}\n`;
}

/** A map of keys, or a list whose entries have keys. */
function opensSection(key: ConfigKey): boolean {
  return describeConfig().some(
    ({ path }) => path.startsWith(`${key.path}.`) || path.startsWith(`${key.path}[]`),
  );
}

/** The whole page. */
export function renderConfigDocs(): string {
  const keys = describeConfig();
  const loose = keys.filter((key) => !key.path.includes('.') && !opensSection(key));
  const grouped = keys.filter((key) => !loose.includes(key));
  return [HEAD, '## At the top\n', ...loose.map(entry), ...grouped.map(entry)].join('\n');
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigDocs());
}
