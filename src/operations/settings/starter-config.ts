import { describeConfig } from '../../config/keys.ts';

/** The settings that people change; the rest is in docs/configuration.md. */
const OFFERED = ['namespace', 'embedding.provider', 'search.limit', 'search.minScore', 'writes.enabled'];

const HEAD = `# Settings of Loci. Each has a default; take away the # before a line to change it.
# All of them, and what they mean: \`loci config show\`, and docs/configuration.md of Loci.
# \`loci config set KEY VALUE\` writes here too and keeps your comments.

# Folders of notes. \`loci index FOLDER\` adds one.
#vaults:
#  - path: ~/notes
#    project: personal
`;

/** The first loci.yaml: everything in it is a comment, so it changes nothing. */
export function starterConfig(): string {
  const keys = describeConfig().filter(({ path }) => OFFERED.includes(path));
  const lines = [HEAD];
  let section = '';
  for (const { path, description, default: usual } of keys) {
    const [first = '', inner] = path.split('.');
    const value = typeof usual === 'string' ? usual : JSON.stringify(usual);
    if (inner === undefined) {
      lines.push(`# ${description}`, `#${first}: ${value}`, '');
      continue;
    }
    if (first !== section) lines.push(`#${first}:`);
    section = first;
    lines.push(`#  # ${description}`, `#  ${inner}: ${value}`);
  }
  return `${lines.join('\n')}\n`;
}
