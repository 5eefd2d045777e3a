import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message of the chat API of OpenAI. */
interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

/** A request that the gateway sent to the model. */
export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly string[];
}

export interface ModelServer {
  readonly url: string;
  close(): Promise<void>;
}

/** All requests that a model has had since the last call, in order. */
export async function takeRequests(url: string): Promise<ModelRequest[]> {
  const response = await fetch(`${url}${TAKEN}`);
  return (await response.json()) as ModelRequest[];
}

const TAKEN = '/taken';

/**
 * A model without a language model: it speaks the streaming chat API of OpenAI, and answers `CALL tool {json}` in the last message
 * of the user with a call of that tool. It repeats the result of a tool.
 */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith(TAKEN) === true) response.end(JSON.stringify(requests.splice(0)));
    else void respond(request, response, (received) => requests.push(received));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  record: (request: ModelRequest) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  if (request.method === 'GET' || body === '') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
    return;
  }
  const { messages = [], tools = [] } = JSON.parse(body) as {
    messages?: ChatMessage[];
    tools?: { function?: { name: string } }[];
  };
  record({ messages, tools: tools.flatMap((tool) => tool.function?.name ?? []) });
  stream(response, deltaFor(messages));
}

/** The text of a message. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}

/** The host's own context after the message of the user. */
const INTERNAL_CONTEXT = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT';
const CALL = /CALL (\w+) (\{.*\})/;

function deltaFor(messages: readonly ChatMessage[]): Record<string, unknown> {
  const said = messages.filter((message) => !textOf(message).startsWith(INTERNAL_CONTEXT));
  const last = said.at(-1);
  if (last?.role === 'tool') return { role: 'assistant', content: `RESULT ${textOf(last)}` };
  const user = said.findLast(({ role }) => role === 'user');
  const [, name, input] = CALL.exec(user === undefined ? '' : textOf(user)) ?? [];
  if (name === undefined || input === undefined) return { role: 'assistant', content: 'OK' };
  return {
    role: 'assistant',
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: input } }],
  };
}

function stream(response: ServerResponse, delta: Record<string, unknown>): void {
  response.setHeader('content-type', 'text/event-stream');
  const send = (choice: Record<string, unknown>): void => {
    const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' };
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`);
  };
  send({ delta, finish_reason: null });
  send({ delta: {}, finish_reason: 'tool_calls' in delta ? 'tool_calls' : 'stop' });
  response.end('data: [DONE]\n\n');
}
