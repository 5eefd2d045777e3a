import { describeConfig } from '../../config/keys.ts';

/** The settings that people change most. docs/configuration.md has the others. */
const OFFERED = ['namespace', 'embedding.provider', 'search.limit', 'search.minScore', 'writes.enabled'];

const HEAD = `# Settings of Loci. Each has a default; remove the # of a line to change it.
# \`loci config show\` lists all settings, and docs/configuration.md of Loci explains them.
# \`loci config set KEY VALUE\` writes into this file and keeps your comments.

# Folders of notes. \`loci index FOLDER\` adds one.
#vaults:
#  - path: ~/notes
#    project: personal
`;

/** The first loci.yaml. It has only comments, so it changes nothing. */
export function starterConfig(): string {
  const keys = describeConfig().filter(({ path }) => OFFERED.includes(path));
  const lines = [HEAD];
  let section = '';
  for (const { path, description, default: value } of keys) {
    const [first = '', inner] = path.split('.');
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (inner === undefined) {
      lines.push(`# ${description}`, `#${first}: ${text}`, '');
      continue;
    }
    if (first !== section) lines.push(`#${first}:`);
    section = first;
    lines.push(`#  # ${description}`, `#  ${inner}: ${text}`);
  }
  return `${lines.join('\n')}\n`;
}
