// Writes docs/clients.md from what `loci mcp config` prints: `node scripts/client-docs.ts`. A test holds them together.
import { writeFileSync } from 'node:fs';
import { LociError } from '../src/core/errors.ts';
import {
  CLIENT_NAMES,
  type ClientSetup,
  clientSetup,
  type Connection,
  settingsText,
} from '../src/surfaces/mcp/clients.ts';

const HEAD = `# Agents

<!-- Written by \`node scripts/client-docs.ts\` from src/surfaces/mcp/clients.ts; a change here is overwritten. -->

Loci serves agents over the Model Context Protocol. An agent starts \`loci mcp\` itself and talks to it on standard input and
output, or asks a server of yours over HTTP.

\`loci mcp config CLIENT\` prints what stands here with the whole paths of your machine: take that where an agent says that it
cannot find \`loci\`. Programs with windows often know no \`PATH\`. With \`--http URL\` it prints the settings for a server, whose
token agents read from \`$LOCI_TOKEN\`.

Agents may search and read at once. Writing records is off until you allow it: \`loci config set writes.enabled true\`. What
they write is marked as theirs.`;

const PROCESS: Connection = { command: 'loci', args: ['mcp'] };
const SERVER: Connection = { url: 'https://loci.example.org/mcp' };

function steps({ shell, file, settings }: ClientSetup): string[] {
  return [
    ...(shell === null ? [] : [`\`\`\`sh\n${shell}\n\`\`\``]),
    `${shell === null ? 'In' : 'Or in'} ${file}:`,
    `\`\`\`json\n${settingsText(settings)}\n\`\`\``,
  ];
}

/** The steps for a server, or why there are none. */
function serverSteps(name: string): string[] {
  try {
    return steps(clientSetup(name, SERVER));
  } catch (error) {
    if (error instanceof LociError) return [`${error.message}.`];
    throw error;
  }
}

function section(name: string): string {
  const setup = clientSetup(name, PROCESS);
  const parts = [`## ${setup.title}`, ...steps(setup), '### Over HTTP', ...serverSteps(name)];
  return parts.join('\n\n');
}

/** The whole page. */
export function renderClientDocs(): string {
  return `${[HEAD, ...CLIENT_NAMES.map(section)].join('\n\n')}\n`;
}

if (import.meta.main) writeFileSync(new URL('../docs/clients.md', import.meta.url), renderClientDocs());
