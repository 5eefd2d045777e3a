import { realpathSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import { shellWord } from '../../core/text/split-command.ts';
import { isJsonMap } from '../../core/json.ts';
import { configHome } from '../../config/load.ts';
import { toJson } from '../shared/escape-control.ts';
import type { RunStandalone } from '../shared/run-standalone.ts';

/** How a client reaches Loci: it starts a process, or it connects to a server. */
export type ClientConnection =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Variables that select the memory. */
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string };

/** How to set up a client. */
export interface ClientSetup {
  readonly client: string;
  readonly title: string;
  /** A command that does it, if the client has one. */
  readonly shell: string | null;
  /** The file that the settings belong to. */
  readonly file: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The settings in the format of that file. */
  readonly text: string;
  /** What else its users have to know. */
  readonly note: string | null;
}

interface McpClient {
  readonly title: string;
  readonly file: string;
  readonly format?: 'toml';
  readonly note?: string;
  /** The entry for a server in its settings; `null` if they support no such connection. */
  readonly serverOf: (connection: ClientConnection) => Readonly<Record<string, unknown>> | null;
  readonly settingsOf?: (server: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  readonly shellOf?: (connection: ClientConnection) => string;
}

/** Clients read the token from this variable, so that no file contains it. */
const TOKEN_VARIABLE = 'LOCI_TOKEN';

/** The name of the token in VS Code, which asks its user for it. */
const VSCODE_INPUT = 'loci-token';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** From the documentation of each client in November 2026. */
const CLIENTS: Readonly<Record<string, McpClient>> = {
  'claude-code': {
    title: 'Claude Code',
    file: '`.mcp.json` in a project',
    serverOf: (connection) =>
      'url' in connection
        ? { type: 'http', url: connection.url, ...bearer(`\${${TOKEN_VARIABLE}}`) }
        : { type: 'stdio', ...connection },
    shellOf: (connection) =>
      'url' in connection
        ? `claude mcp add --scope user --transport http loci ${shellWord(connection.url)} --header "Authorization: Bearer $${TOKEN_VARIABLE}"`
        : `claude mcp add --scope user loci${variables(connection.env)} -- ${[connection.command, ...connection.args].map(shellWord).join(' ')}`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file:
      '`claude_desktop_config.json` (Settings → Developer → Edit Config; on macOS in `~/Library/Application Support/Claude`, ' +
      'on Windows in `%APPDATA%\\Claude`)',
    serverOf: (connection) => ('url' in connection ? null : { ...connection }),
  },
  codex: {
    title: 'Codex',
    file: '`~/.codex/config.toml`',
    format: 'toml',
    serverOf: (connection) =>
      'url' in connection ? { url: connection.url, bearer_token_env_var: TOKEN_VARIABLE } : { ...connection },
    settingsOf: (server) => ({ mcp_servers: { loci: server } }),
    shellOf: (connection) =>
      'url' in connection
        ? `codex mcp add loci --url ${shellWord(connection.url)} --bearer-token-env-var ${TOKEN_VARIABLE}`
        : `codex mcp add loci${variables(connection.env)} -- ${[connection.command, ...connection.args].map(shellWord).join(' ')}`,
  },
  antigravity: {
    title: 'Antigravity',
    file: '`~/.gemini/config/mcp_config.json`',
    serverOf: (connection) =>
      'url' in connection
        ? { serverUrl: connection.url, ...bearer(`$${TOKEN_VARIABLE}`) }
        : { ...connection },
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '`~/.gemini/settings.json`',
    note: 'Since June 2026, Gemini CLI answers users with an API key or a company account only. For others there is Antigravity.',
    serverOf: (connection) =>
      'url' in connection ? { httpUrl: connection.url, ...bearer(`$${TOKEN_VARIABLE}`) } : { ...connection },
  },
  cursor: {
    title: 'Cursor',
    file: '`~/.cursor/mcp.json`',
    serverOf: (connection) =>
      'url' in connection
        ? { url: connection.url, ...bearer(`\${env:${TOKEN_VARIABLE}}`) }
        : { ...connection },
  },
  vscode: {
    title: 'VS Code',
    file: '`.vscode/mcp.json` in a workspace, or the file of the command “MCP: Open User Configuration”',
    serverOf: (connection) =>
      'url' in connection
        ? { type: 'http', url: connection.url, ...bearer(`\${input:${VSCODE_INPUT}}`) }
        : { type: 'stdio', ...connection },
    settingsOf: (server) => ({
      ...('url' in server && {
        inputs: [{ type: 'promptString', id: VSCODE_INPUT, description: 'Loci token', password: true }],
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

/** @throws LociError `invalid_input` for an unknown client, or one that cannot connect in this way */
export function clientSetup(name: string, connection: ClientConnection): ClientSetup {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client === undefined) throw unknownClient(name);
  const server = client.serverOf(connection);
  if (server === null) {
    throw new LociError('invalid_input', `${client.title} has no settings for a server with a URL`, {
      hint: 'Without --http, it starts `loci mcp` itself.',
    });
  }
  const { title, file, format, note = null } = client;
  const settings = client.settingsOf?.(server) ?? { mcpServers: { loci: server } };
  const text = format === 'toml' ? tomlText(settings) : jsonText(settings);
  return { client: name, title, shell: client.shellOf?.(connection) ?? null, file, settings, text, note };
}

function unknownClient(name: string): LociError {
  const names = `Supported clients: ${CLIENT_NAMES.join(', ')}.`;
  if (name === '') return new LociError('invalid_input', 'CLIENT is missing', { hint: names });
  const suggestion = closestWord(name, CLIENT_NAMES);
  const hint = suggestion === undefined ? names : `Did you mean ${suggestion}? ${names}`;
  return new LociError('invalid_input', `unknown client: ${name}`, { hint });
}

/** The settings as TOML, whose strings and lists are written as in JSON. */
function tomlText(settings: Readonly<Record<string, unknown>>, path: readonly string[] = []): string {
  const isTable = (value: unknown): boolean => isJsonMap(value);
  const entries = Object.entries(settings);
  const values = entries.filter(([, value]) => !isTable(value));
  const lines = values.map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const own = values.length === 0 ? [] : [[`[${path.join('.')}]`, ...lines].join('\n')];
  const tables = entries.filter(([, value]) => isTable(value));
  return [
    ...own,
    ...tables.map(([name, value]) => tomlText(value as Record<string, unknown>, [...path, name])),
  ].join('\n\n');
}

/** The settings as JSON, with short lists on one line. */
function jsonText(settings: ClientSetup['settings']): string {
  return JSON.stringify(settings, null, 2).replaceAll(/\[\s+("[^[\]{}]*")\s+\]/g, (_, entries: string) => {
    return `[${entries.replaceAll(/\n\s+/g, ' ')}]`;
  });
}

/** Runs `loci mcp config CLIENT`: prints the settings of a client for this machine. */
export const printClientConfig: RunStandalone = async (
  { operands, options, json, home },
  { stdout, env },
) => {
  const setup = clientSetup(operands[0] ?? '', connectionOf(options['http'], home, env));
  stdout.write(json ? `${toJson(setup)}\n` : setupText(setup));
  return 0;
};

function connectionOf(
  http: string | true | undefined,
  home: string | undefined,
  env: NodeJS.ProcessEnv,
): ClientConnection {
  if (typeof http === 'string') {
    const isHttp = URL.canParse(http) && /^https?:$/.test(new URL(http).protocol);
    if (!isHttp)
      throw new LociError(
        'invalid_input',
        `--http must be a URL such as http://127.0.0.1:7777/mcp, not ${http}`,
      );
    return { url: http };
  }
  // Desktop programs do not have the PATH of a shell, so only absolute paths work everywhere.
  const script = realpathSync(process.argv[1] ?? '');
  const isDefaultHome = home === undefined && (env['LOCI_HOME'] ?? '') === '';
  const homeArgs = isDefaultHome ? [] : ['--home', configHome({ env, ...(home !== undefined && { home }) })];
  const connection = { command: process.execPath, args: [script, 'mcp', ...homeArgs] };
  const namespace = env['LOCI_NAMESPACE'] ?? '';
  return namespace === '' ? connection : { ...connection, env: { LOCI_NAMESPACE: namespace } };
}

function setupText({ title, shell, file, text, note }: ClientSetup): string {
  const steps = shell === null ? [] : [`Run:\n\n${shell}\n`];
  const target = `${shell === null ? 'Add' : 'Or add'} to ${file.replaceAll('`', '')}:`;
  const notes = note === null ? [] : [`${note}\n`];
  return [`${title}\n`, ...notes, ...steps, `${target}\n`, text, ''].join('\n');
}
