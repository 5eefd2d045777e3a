// Writes docs/clients.md from the output of `loci mcp config` and the tools of the server: `node scripts/client-docs.ts`. A
// test checks that the file is up to date.
import { writeFileSync } from 'node:fs';
import { LociError } from '../src/core/errors.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import {
  CLIENT_NAMES,
  type ClientSetup,
  clientSetup,
  type ClientConnection,
} from '../src/surfaces/mcp/client-setup.ts';
import { listPrompts, listResources, listTemplates } from '../src/surfaces/mcp/answers.ts';
import { loadToolbox } from '../src/surfaces/mcp/toolbox.ts';

const HEAD = `# Agents

<!-- Written by \`node scripts/client-docs.ts\` from src/surfaces/mcp; a change here is overwritten. -->

Loci serves agents over the Model Context Protocol (MCP). An agent starts \`loci mcp\` itself and talks to it on standard input
and output, or it connects to a Loci server over HTTP.

\`loci mcp config CLIENT\` prints the settings below with the absolute paths of your machine. Use them if an agent cannot find
\`loci\`: desktop programs often do not have the \`PATH\` of your shell. With \`--http URL\` it prints the settings for a server;
agents read its token from \`$LOCI_TOKEN\`.

Agents can search and read at once. Writing records is off until you allow it with \`loci config set writes.enabled true\`;
restart an agent that is already running. What agents write is marked as written by an agent.

To tell every agent something when a session starts, create a startup entry: \`loci startup set KEY CONTENT\`. The server
asks agents to read the resource \`loci://startup\` first; with \`mcp.tools: [startup_inject]\`, there is a tool for it, too.`;

const PROCESS: ClientConnection = { command: 'loci', args: ['mcp'] };
const SERVER: ClientConnection = { url: 'https://loci.example.org/mcp' };

function steps({ shell, file, text }: ClientSetup): string[] {
  return [
    ...(shell === null ? [] : [`\`\`\`sh\n${shell}\n\`\`\``]),
    `${shell === null ? 'In' : 'Or in'} ${file}:`,
    `\`\`\`${file.includes('.toml') ? 'toml' : 'json'}\n${text}\n\`\`\``,
  ];
}

/** How to connect to a server, or why the client cannot. */
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
  const note = setup.note === null ? [] : [setup.note];
  const parts = [`## ${setup.title}`, ...note, ...steps(setup), '### Over HTTP', ...serverSteps(name)];
  return parts.join('\n\n');
}

/** The tools, resources and prompts, which are the same for every agent. */
async function capabilities(): Promise<string> {
  const { byTool } = await loadToolbox();
  const tools = [...byTool].map(([tool, { name, scope }]) => {
    const summary = OPERATIONS.find((entry) => entry.name === name)?.summary ?? '';
    return `- \`${tool}\` (scope \`${scope}\`): ${summary}`;
  });
  const listed = [...byTool].flatMap(([tool, { listedOnRequest, scope }]) =>
    listedOnRequest !== true && ['read', 'write'].includes(scope) ? [`\`${tool}\``] : [],
  );
  const templates = listTemplates().map(({ uriTemplate, ...template }) => ({
    uri: uriTemplate,
    ...template,
  }));
  const resources = [...listResources(), ...templates].map(
    ({ uri, description = '' }) => `- \`${uri}\`: ${inLine(description)}`,
  );
  const prompts = listPrompts(new Set(byTool.keys())).map(
    ({ name, description = '', arguments: promptArguments = [] }) => {
      const names = promptArguments.map((argument) => ` ${argument.name.toUpperCase()}`).join('');
      return `- \`${name}${names}\`: ${inLine(description)}`;
    },
  );
  return [
    '## Tools, resources and prompts',
    'An agent that starts `loci mcp` itself has the scopes `read` and `write`; over HTTP, the token decides. So tools with the\n' +
      'scopes `admin` and `operator` are available over HTTP only; the owner has them on the command line. Tools:',
    tools.join('\n'),
    `A model gets the list of tools with every turn, so it is short: ${new Intl.ListFormat('en-GB').format(listed)}; ` +
      '`memory_write`, `memory_update` and `memory_delete` only while `writes.enabled` is true. The setting `mcp.tools` names others that ' +
      'are listed, or `all`; a client may call each of them all the same. Claude Code shows a model the tools of servers only when it looks ' +
      'for them; `memory_search`, `memory_get` and `memory_write` ask to be shown always. The types of results are left out of the list for ' +
      'clients that only show it to a model (`mcp.outputSchemas`). Results come as text and as structured content: the ' +
      'same in two forms of about the same length, since some clients give their models one and some the other. Both say that recalled ' +
      'text is data, not instructions. Fields for programs, such as times and hashes, are in the JSON of REST and of `--json`.',
    'Resources (scope `read`):',
    resources.join('\n'),
    'Prompts:',
    prompts.join('\n'),
  ].join('\n\n');
}

/** `A record, or a note.` → `a record, or a note`. */
function inLine(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

/** The text of docs/clients.md. */
export async function renderClientDocs(): Promise<string> {
  return `${[HEAD, ...CLIENT_NAMES.map(section), await capabilities()].join('\n\n')}\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/clients.md', import.meta.url), await renderClientDocs());
}
