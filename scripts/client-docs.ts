// Writes docs/clients.md from what `loci mcp config` prints and the server shows: `node scripts/client-docs.ts`. A test
// holds them together.
import { writeFileSync } from 'node:fs';
import { LociError } from '../src/core/errors.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import {
  CLIENT_NAMES,
  type ClientSetup,
  clientSetup,
  type Connection,
  settingsText,
} from '../src/surfaces/mcp/clients/client-setup.ts';
import { listPrompts } from '../src/surfaces/mcp/prompts.ts';
import { listResources, listTemplates } from '../src/surfaces/mcp/resources.ts';
import { loadToolbox } from '../src/surfaces/mcp/toolbox.ts';

const HEAD = `# Agents

<!-- Written by \`node scripts/client-docs.ts\` from src/surfaces/mcp; a change here is overwritten. -->

Loci serves agents over the Model Context Protocol. An agent starts \`loci mcp\` itself and talks to it on standard input and
output, or asks a server of yours over HTTP.

\`loci mcp config CLIENT\` prints what stands here with the whole paths of your machine: take that where an agent says that it
cannot find \`loci\`. Programs with windows often know no \`PATH\`. With \`--http URL\` it prints the settings for a server, whose
token agents read from \`$LOCI_TOKEN\`.

Agents may search and read at once. Writing records is off until you allow it: \`loci config set writes.enabled true\`; an
agent that runs already has to be started again. What they write is marked as theirs.

What each of them should know before it begins is a startup entry: \`loci startup set KEY CONTENT\`. The server's instructions
ask agents to read the resource \`loci://startup\`, or to call \`startup_inject\`, first.`;

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

/** What an agent finds, whichever it is. */
async function offers(): Promise<string> {
  const { byTool } = await loadToolbox();
  const tools = [...byTool].map(([tool, { name, scope }]) => {
    const summary = OPERATIONS.find((entry) => entry.name === name)?.summary ?? '';
    return `- \`${tool}\` (scope \`${scope}\`): ${summary}`;
  });
  const templates = listTemplates().map(({ uriTemplate, ...template }) => ({
    uri: uriTemplate,
    ...template,
  }));
  const resources = [...listResources(), ...templates].map(
    ({ uri, description = '' }) => `- \`${uri}\`: ${inLine(description)}`,
  );
  const prompts = listPrompts().map(({ name, description = '', arguments: given = [] }) => {
    const names = given.map((argument) => ` ${argument.name.toUpperCase()}`).join('');
    return `- \`${name}${names}\`: ${inLine(description)}`;
  });
  return [
    '## What agents find',
    'Tools. An agent that starts `loci mcp` itself has the scopes `read` and `write`; over HTTP its token says what it has. Those\n' +
      'that need `admin` show only there; the owner has them on the command line.',
    tools.join('\n'),
    'Resources, under the scope `read`:',
    resources.join('\n'),
    'Prompts:',
    prompts.join('\n'),
  ].join('\n\n');
}

/** `A record, or a note.` → `a record, or a note`. */
function inLine(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

/** The whole page. */
export async function renderClientDocs(): Promise<string> {
  return `${[HEAD, ...CLIENT_NAMES.map(section), await offers()].join('\n\n')}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/clients.md', import.meta.url), await renderClientDocs());
}
