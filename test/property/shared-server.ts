import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { type Caller, type Scope, SCOPES } from '../../src/core/caller.ts';
import { messageOf } from '../../src/core/errors.ts';
import type { OpenContext } from '../../src/operations/context.ts';
import { parseInput } from '../../src/operations/shared/input.ts';
import { type Operation, toolName } from '../../src/operations/operation.ts';
import { runOperation } from '../../src/operations/run.ts';
import { mcpHandler, mcpServer } from '../../src/surfaces/mcp/server.ts';
import { SignJWT } from 'jose';
import { copyOfVault } from '../e2e/loci-command.ts';
import { startServer, type TestServer } from '../e2e/rest-server.ts';
import { doctor } from '../../src/engine/health/doctor.ts';

export const SURFACES = ['library', 'rest', 'mcp over http', 'mcp over stdio'] as const;
export type Surface = (typeof SURFACES)[number];

const SECRET = 'a shared secret of more than thirty-two characters';
const SETTINGS = {
  // A busy machine may take longer than the usual deadline, and give other results then.
  graph: { deadline: 0 },
  search: { deadline: 0 },
  auth: { jwt: { secret: SECRET, issuer: 'https://id.example.org', audience: 'loci' } },
};
const MCP_HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/** A caller with a separate namespace, who uses every surface. */
interface Member {
  readonly bearer: string;
  readonly caller: Caller;
  readonly client: Client;
}

/** A store with a server and its callers. */
export class SharedServer {
  readonly rest: TestServer;
  readonly #context: OpenContext;
  readonly #members = new Map<string, Member>();

  private constructor(rest: TestServer, context: OpenContext) {
    this.rest = rest;
    this.#context = context;
  }

  /**
   * @param owner the namespace of the settings, whose store it is
   * @param settings may name the vaults, in place of a new copy of the examples
   */
  static async open(owner: string, settings: object = {}, home?: string): Promise<SharedServer> {
    let shared: OpenContext | undefined;
    const mcp = (context: OpenContext): ReturnType<typeof mcpHandler> => {
      shared = context;
      return mcpHandler(context);
    };
    const vaults = (): object => [{ name: `diary of ${owner}`, path: copyOfVault(`notes of ${owner}`) }];
    const server = await startServer(
      {
        vaults: 'vaults' in settings ? settings.vaults : vaults(),
        ...SETTINGS,
        ...settings,
        namespace: owner,
      },
      { mcp, limits: { requestsPerSecond: 0 }, ...(home !== undefined && { home }) },
    );
    if (shared === undefined) throw new Error('the server opened no context');
    return new SharedServer(server, shared);
  }

  /** Adds a caller, with a token of Loci or a JWT of another issuer. */
  async addMember(subject: string, by: 'token' | 'jwt'): Promise<void> {
    const bearer = by === 'jwt' ? await webToken(subject) : await this.rest.token(subject, 'operator');
    const caller = { namespace: subject, actor: subject, surface: 'library', trust: 'agent' } as const;
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: `client of ${subject}`, version: '1' });
    const server = mcpServer({
      context: async () => this.#context,
      scopes: ALL_SCOPES,
      callerOf: (name) => ({ ...caller, surface: 'mcp', ...(name !== undefined && { actor: name }) }),
    });
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    this.#members.set(subject, { bearer, caller, client });
  }

  /** Calls an operation on a surface. The result contains everything that the member receives, errors included. */
  async call(subject: string, surface: Surface, operation: Operation, input: unknown): Promise<unknown> {
    const member = this.#memberOf(subject);
    const name = toolName(operation);
    switch (surface) {
      case 'library': {
        const context = this.#context.forCall({ caller: member.caller });
        return runOperation(operation, context, parseInput(operation, input));
      }
      case 'rest': {
        const path = `/api/v1/${name.replace('_', '/')}`;
        const { status, text } = await this.rest.request(path, { token: member.bearer, body: input });
        return { status, body: JSON.parse(text) as unknown };
      }
      case 'mcp over http':
        return this.#rpc(member, 'tools/call', { name, arguments: input });
      case 'mcp over stdio':
        return member.client.callTool({ name, arguments: input as Record<string, unknown> });
    }
  }

  /** The resources, prompts and tools that MCP shows to a member. */
  async readAll(subject: string): Promise<unknown[]> {
    const member = this.#memberOf(subject);
    const reads: Promise<unknown>[] = [
      ...[
        'loci://my-memory',
        'loci://startup',
        'loci://sources',
        'loci://record/1',
        'loci://record/2',
        'loci://record/9',
      ].map((uri) => this.#rpc(member, 'resources/read', { uri })),
      this.#rpc(member, 'prompts/get', { name: 'recall', arguments: { question: 'oven kitchen' } }),
      this.#rpc(member, 'tools/list', {}),
      this.#rpc(member, 'resources/list', {}),
    ];
    return Promise.all(reads);
  }

  /** Output that is the same for all members: metrics, health, API description and the log of the server. */
  async sharedOutputs(subject: string): Promise<string> {
    const { bearer } = this.#memberOf(subject);
    const answers = await Promise.all(
      ['/metrics', '/healthz', '/readyz', '/api/v1/openapi.json'].map((path) =>
        this.rest.request(path, { token: bearer }),
      ),
    );
    return JSON.stringify([answers.map(({ text }) => text), this.rest.log]);
  }

  /** The failed checks of the store and of every member's namespace. */
  async failedChecks(): Promise<unknown[]> {
    const loci = await this.#context.loci();
    const checks = [...this.#members.values()].map(({ caller }) =>
      doctor(loci.as({ ...caller, trust: 'operator' })),
    );
    return (await Promise.all(checks)).flat().filter(({ result }) => result === 'failed');
  }

  async close(): Promise<void> {
    for (const { client } of this.#members.values()) await client.close();
    await this.rest.close();
  }

  #memberOf(subject: string): Member {
    const member = this.#members.get(subject);
    if (member === undefined) throw new Error(`${subject} is not a member`);
    return member;
  }

  async #rpc({ bearer }: Member, method: string, params: object): Promise<unknown> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const { status, text } = await this.rest.request('/mcp', { token: bearer, headers: MCP_HEADERS, body });
    const messages = [...text.matchAll(/^data: (.+)$/gm)].map(
      (match) => JSON.parse(match[1] ?? '') as unknown,
    );
    return messages.length === 0 ? { status, text } : { status, messages };
  }
}

function webToken(subject: string): Promise<string> {
  return new SignJWT({ sub: subject, scope: 'admin' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('https://id.example.org')
    .setAudience('loci')
    .setExpirationTime('10m')
    .sign(new TextEncoder().encode(SECRET));
}

/** The output or the error of a call, as JSON that can be compared. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify(await call)) as unknown;
  } catch (error) {
    const { code, hint } = error as { code?: unknown; hint?: unknown };
    return { error: messageOf(error), code, hint };
  }
}
