import { LociError } from '../../../core/errors.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { shellWord } from '../../shared/shell-word.ts';

/** How a client gets at Loci: it starts a process, or it asks a server. */
export type Connection =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** What of the environment decides whose memory it is. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string };

/** What to do so that a client knows Loci. */
export interface ClientSetup {
  readonly client: string;
  readonly title: string;
  /** A command that does it, where the client has one. */
  readonly shell: string | null;
  /** Where the settings go, else. */
  readonly file: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

interface McpClient {
  readonly title: string;
  readonly file: string;
  /** A server of its settings. `null` where it takes none from its file. */
  readonly serverOf: (connection: Connection) => Readonly<Record<string, unknown>> | null;
  readonly settingsOf?: (server: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly shellOf?: (connection: Connection) => string;
}

/** The variable that clients find the token in, so that it stands in no file. */
const TOKEN = 'LOCI_TOKEN';

/** What VS Code calls the token, which it asks its user for. */
const INPUT = 'loci-token';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** As each client's own documentation has it in November 2026. */
const CLIENTS: Readonly<Record<string, McpClient>> = {
  'claude-code': {
    title: 'Claude Code',
    file: '`.mcp.json` in a project',
    serverOf: (connection) =>
      'url' in connection
        ? { type: 'http', url: connection.url, ...bearer(`\${${TOKEN}}`) }
        : { type: 'stdio', ...connection },
    shellOf: (connection) =>
      'url' in connection
        ? `claude mcp add --scope user --transport http loci ${shellWord(connection.url)} --header "Authorization: Bearer $${TOKEN}"`
        : `claude mcp add --scope user loci${variables(connection.env)} -- ${[connection.command, ...connection.args].map(shellWord).join(' ')}`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file:
      '`claude_desktop_config.json` (Settings → Developer → Edit Config; on macOS in `~/Library/Application Support/Claude`, ' +
      'on Windows in `%APPDATA%\\Claude`)',
    serverOf: (connection) => ('url' in connection ? null : { ...connection }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '`~/.gemini/settings.json`',
    serverOf: (connection) =>
      'url' in connection ? { httpUrl: connection.url, ...bearer(`$${TOKEN}`) } : { ...connection },
  },
  cursor: {
    title: 'Cursor',
    file: '`~/.cursor/mcp.json`',
    serverOf: (connection) =>
      'url' in connection ? { url: connection.url, ...bearer(`\${env:${TOKEN}}`) } : { ...connection },
  },
  vscode: {
    title: 'VS Code',
    file: '`.vscode/mcp.json` in a workspace, or the file of the command “MCP: Open User Configuration”',
    serverOf: (connection) =>
      'url' in connection
        ? { type: 'http', url: connection.url, ...bearer(`\${input:${INPUT}}`) }
        : { type: 'stdio', ...connection },
    settingsOf: (server) => ({
      ...('url' in server && {
        inputs: [{ type: 'promptString', id: INPUT, description: 'Token of Loci', password: true }],
      }),
      servers: { loci: server },
    }),
  },
};

function variables(env: Readonly<Record<string, string>> = {}): string {
  return Object.entries(env)
    .map(([name, value]) => ` --env ${shellWord(`${name}=${value}`)}`)
    .join('');
}

export const CLIENT_NAMES: readonly string[] = Object.keys(CLIENTS);

/**
 * @throws LociError `invalid_input` for a client that is not known, or that cannot connect that way
 */
export function clientSetup(name: string, connection: Connection): ClientSetup {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client === undefined) throw unknownClient(name);
  const server = client.serverOf(connection);
  if (server === null) {
    throw new LociError('invalid_input', `${client.title} takes no server with a URL from its settings`, {
      hint: 'Leave out --http: it then starts `loci mcp` itself.',
    });
  }
  const { title, file } = client;
  const settings = client.settingsOf?.(server) ?? { mcpServers: { loci: server } };
  return { client: name, title, shell: client.shellOf?.(connection) ?? null, file, settings };
}

function unknownClient(name: string): LociError {
  const all = `Known are ${CLIENT_NAMES.join(', ')}.`;
  if (name === '') return new LociError('invalid_input', 'CLIENT is missing', { hint: all });
  const meant = nearest(name, CLIENT_NAMES);
  const hint = meant === undefined ? all : `Did you mean ${meant}? ${all}`;
  return new LociError('invalid_input', `the client ${name} is not known`, { hint });
}

/** As one would write it: short lists on one line. */
export function settingsText(settings: ClientSetup['settings']): string {
  return JSON.stringify(settings, null, 2).replaceAll(/\[\s+("[^[\]{}]*")\s+\]/g, (_, entries: string) => {
    return `[${entries.replaceAll(/\n\s+/g, ' ')}]`;
  });
}
