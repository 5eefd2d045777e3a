import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chatGpt,
  chatGptTree,
  claude,
  type ExportedConversation,
} from '../../../test/contract/conversation-exports.ts';
import type { Conversation, ReportProblem } from '../conversation.ts';
import { readConversations } from './read-conversations.ts';

/** A conversation that is longer than the beginning of a file by which its format is recognised. */
const PADDING = JSON.stringify(chatGpt('padding', ['x'.repeat(2 ** 20)]));

async function read(
  content: string | Uint8Array,
  chunkSize = 7,
  name = 'conversations.json',
): Promise<{ found: Conversation[]; problems: Parameters<ReportProblem>[0][] }> {
  const bytes = Buffer.from(content as Uint8Array);
  const problems: Parameters<ReportProblem>[0][] = [];
  const found: Conversation[] = [];
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    // The format is recognised by the first megabyte. What follows comes in small pieces.
    const head = bytes.length > PADDING.length ? 2 ** 20 : 0;
    yield bytes.subarray(0, head);
    for (let at = head; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
  };
  for await (const each of readConversations(name, chunks(), (problem) => problems.push(problem)))
    found.push(each);
  return { found, problems };
}

const texts = ({ messages }: Conversation): string[] => messages.map(({ role, text }) => `${role}: ${text}`);
const lines = (...values: readonly object[]): string =>
  values.map((each) => `${JSON.stringify(each)}\n`).join('');
/** The texts of the messages of one conversation. */
async function textsOf(...values: readonly object[]): Promise<string[]> {
  const { found } = await read(JSON.stringify(values));
  return found.flatMap(texts);
}

/** The cells of the rows of a table; `\\n` in a cell of text is a line break. */
function rowsOf(table: string): string[][] {
  const rows = table.trim().split('\n');
  return rows.map((row) =>
    row.split(/ \|(?: |$)/).map((cell) => (cell.startsWith('{') ? cell : unescaped(cell))),
  );
}

function unescaped(cell: string): string {
  return cell.replaceAll('\\n', '\n');
}

describe('an export of ChatGPT', () => {
  it('has the branch that leads to the current node, with titles, times and links', async () => {
    const { found } = await read(JSON.stringify([chatGpt('c1', ['Which tram?', 'The 18.'], 'Porto')]));
    expect(found).toMatchObject([
      {
        program: 'chatgpt',
        id: 'c1',
        title: 'Porto',
        url: 'https://chatgpt.com/c/c1',
        createdAt: 1_714_900_000_000,
        messages: [
          { role: 'user', text: 'Which tram?', at: 1_714_900_000_000 },
          { role: 'assistant', text: 'The 18.', at: 1_714_900_060_000 },
        ],
      },
    ]);
  });

  it.each([
    ['a branch that was edited', 'b2', ['user: new', 'assistant: answer']],
    ['a missing current node', undefined, ['user: new', 'assistant: answer']],
    ['a current node that does not exist', 'gone', ['user: new', 'assistant: answer']],
    ['the other branch', 'a', ['user: old']],
    ['the root', 'root', ['user: new', 'assistant: answer']],
  ])('may have %s', async (_, current, expected) => {
    const tree = chatGptTree(
      { a: ['root', 'user', 'old', 1], b: ['root', 'user', 'new', 2], b2: ['b', 'assistant', 'answer', 3] },
      current,
    );
    expect(await textsOf(tree)).toEqual(expected);
  });

  it('ends where its nodes form a cycle', async () => {
    const tree = chatGptTree({ a: ['b', 'user', 'one', 1], b: ['a', 'assistant', 'two', 2] }, 'b');
    expect(await textsOf(tree)).toEqual(['user: one', 'assistant: two']);
  });

  it('may have no title, no times, no ids and no metadata', async () => {
    const tree = chatGptTree({ a: ['root', 'user', 'What is a tram?', null] }, 'a');
    const { found } = await read(
      JSON.stringify([{ ...tree, id: undefined, title: null, create_time: null }]),
    );
    expect(found).toMatchObject([{ title: 'What is a tram?', url: null, createdAt: null }]);
    expect(found[0]!.id).toMatch(/^~[0-9a-f]{32}$/);
  });

  /** What a message has, its role, its content, its other fields, and the text that is read. */
  const MESSAGES = String.raw`
text without parts | user | {"content_type":"text","text":"x"} | {} | x
the words of a voice chat | user | {"parts":[{"content_type":"audio_transcription","text":"hello"},{"content_type":"audio_asset_pointer"}]} | {} | hello
a picture with text | user | {"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"see"]} | {} | see
code | assistant | {"content_type":"code","language":"python","text":"x = 1"} | {} | ${'```'}python\nx = 1\n${'```'}
the names of files | user | {"parts":["said"]} | {"metadata":{"attachments":[{"name":"a.pdf"}]}} | said\n\n[file: a.pdf]
citations | user | {"parts":["A【3†source】 b \ue200cite\ue202turn0\ue201."]} | {} | A b .
Chinese brackets | user | {"parts":["【注意】好"]} | {} | 【注意】好
instructions that the user may see | system | {"parts":["said"]} | {"metadata":{"is_user_system_message":true}} | said
nothing of a hidden message | user | {"parts":["said"]} | {"metadata":{"is_visually_hidden_from_conversation":true}} |
nothing of the profile | user | {"content_type":"user_editable_context","parts":["x"]} | {} |
nothing of thoughts | assistant | {"content_type":"thoughts","thoughts":[{"content":"hm"}],"parts":["hm"]} | {} |
nothing for a tool | assistant | {"parts":["said"]} | {"recipient":"python"} |
nothing of a tool | tool | {"parts":["said"]} | {} |
nothing of weight 0 | user | {"parts":["said"]} | {"weight":0} |
nothing of the system | system | {"parts":["said"]} | {} |
nothing of empty parts | user | {"content_type":"text","parts":[""]} | {} |`;

  it.each(rowsOf(MESSAGES))('has %s', async (_, role, content = '', more = '', text = '') => {
    const message = {
      author: { role },
      content: JSON.parse(content) as object,
      ...(JSON.parse(more) as object),
    };
    const mapping = { a: { id: 'a', parent: null, message } };
    const expected = text === '' ? [] : [`${role === 'system' ? 'user' : (role ?? '')}: ${text}`];
    expect(await textsOf({ id: 'c', title: 't', current_node: 'a', mapping })).toEqual(expected);
  });
});

describe('an export of Claude', () => {
  const messages = (...list: readonly object[]): object => ({ uuid: 'u', name: '', chat_messages: list });

  /** What a message has, the message, and the text that is read. */
  const MESSAGES = String.raw`
blocks before the short text | {"content":[{"type":"text","text":"whole"}],"text":"wh"} | whole
the text without blocks | {"content":[],"text":"short"} | short
a plain text as content | {"content":"plain","text":""} | plain
pasted texts and names of files | {"text":"","attachments":[{"file_name":"log.txt","extracted_content":"line 1"}],"files":[{"file_name":"b.png"}]} | [file: log.txt]\n\nline 1\n\n[file: b.png]
no thoughts and no results of tools | {"content":[{"type":"thinking","thinking":"hm"},{"type":"tool_result","content":[{"type":"text","text":"r"}]},{"type":"text","text":"said"}]} | said
documents that it wrote | {"content":[{"type":"tool_use","name":"artifacts","input":{"title":"Plan","content":"step 1"}}]} | [file: Plan]\n\nstep 1
nothing without text | {"content":[],"text":""} |`;

  it.each(rowsOf(MESSAGES))('has %s', async (_, message = '', text = '') => {
    const sent = { uuid: 'm', sender: 'assistant', ...(JSON.parse(message) as object) };
    expect(await textsOf(messages(sent))).toEqual(text === '' ? [] : [`assistant: ${text}`]);
  });

  it('has titles, times with microseconds and links', async () => {
    const given = { ...claude('u1', ['Hello', 'Hi'], 'Greeting'), created_at: '2026-01-02T03:04:05.678901Z' };
    const { found } = await read(JSON.stringify([given]));
    const createdAt = Date.parse('2026-01-02T03:04:05.678Z');
    expect(found).toMatchObject([{ url: 'https://claude.ai/chat/u1', title: 'Greeting', createdAt }]);
  });

  it('leaves out edited branches where it has parents', async () => {
    const of = (uuid: string, parent: string, text: string): object => ({
      ...{ uuid, parent_message_uuid: parent, sender: 'human', text },
    });
    const tree = messages(of('a', '00000000', 'one'), of('b', 'a', 'old'), of('c', 'a', 'new'));
    expect(await textsOf(tree)).toEqual(['user: one', 'user: new']);
    const old = { ...tree, current_leaf_message_uuid: 'b' };
    expect(await textsOf(old)).toEqual(['user: one', 'user: old']);
  });
});

describe('a transcript', () => {
  const line = (type: string, more: object): object => ({
    ...{ type, sessionId: 's', timestamp: '2026-09-08T15:53:19.660Z', ...more },
  });
  const user = (uuid: string, content: unknown, more: object = {}): object =>
    line('user', { uuid, message: { role: 'user', content }, ...more });
  const queued = (content: string): object => line('queue-operation', { operation: 'enqueue', content });

  it('of Claude Code has what was typed and answered, also across a compaction', async () => {
    const { found } = await read(String.raw`
{"type":"summary","summary":"Renaming","leafUuid":"1"}
{"type":"user","sessionId":"s","uuid":"1","cwd":"/w/quetzal","message":{"role":"user","content":"rename it"}}
{"type":"assistant","sessionId":"s","uuid":"2","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Done."},{"type":"tool_use","name":"Bash"}]}}
{"type":"user","sessionId":"s","uuid":"3","message":{"role":"user","content":[{"type":"tool_result","content":"output"}]}}
{"type":"user","sessionId":"s","uuid":"4","isMeta":true,"message":{"role":"user","content":"caveat"}}
{"type":"user","sessionId":"s","uuid":"5","isSidechain":true,"message":{"role":"user","content":"of an agent"}}
{"type":"system","sessionId":"s","uuid":"6","subtype":"compact_boundary"}
{"type":"user","sessionId":"s","uuid":"7","isCompactSummary":true,"message":{"role":"user","content":"a summary"}}
{"type":"user","sessionId":"s","uuid":"8","message":{"role":"user","content":"<command-message>review</command-message><command-name>/review</command-name><command-args>the parser</command-args>"}}
{"type":"user","sessionId":"s","uuid":"9","message":{"role":"user","content":[{"type":"text","text":"and now<system-reminder>be brief</system-reminder>"}]}}
{"type":"user","sessionId":"s","uuid":"10","message":{"role":"user","content":"[Request interrupted by user]"}}`);
    const said = ['user: rename it', 'assistant: Done.', 'user: /review the parser', 'user: and now'];
    expect(found.map(texts)).toEqual([said]);
    expect(found).toMatchObject([
      { program: 'claude-code', id: 's', title: 'Renaming', folder: '/w/quetzal', url: null },
    ]);
  });

  it('of Claude Code has a message of the queue once, whether it was sent later or within a turn', async () => {
    const attachment = line('attachment', { attachment: { type: 'queued_command', prompt: 'two' } });
    const queue = [queued('one'), queued('two'), queued('three')];
    const { found } = await read(
      lines(user('1', 'begin'), ...queue, user('2', 'one'), attachment, user('3', 'one')),
    );
    expect(found.flatMap(texts)).toEqual(
      ['begin', 'one', 'two', 'three', 'one'].map((text) => `user: ${text}`),
    );
  });

  it('that is damaged loses the damaged line, and not one that is still written', async () => {
    const { found, problems } = await read(
      `${lines(user('1', 'one'))}{"type":"us\n${lines(user('2', 'two'))}{"type":"user","se`,
    );
    expect(found.flatMap(texts)).toEqual(['user: one', 'user: two']);
    expect(problems).toEqual([{ location: 'conversations.json, line 2', message: 'the line is damaged' }]);
  });

  it('of Codex has messages without instructions, of either format', async () => {
    const timestamp = '2026-01-02T03:04:05.000Z';
    const message = (role: string, ...content: string[]): object => ({
      type: 'message',
      role,
      content: content.map((text) => ({ type: 'input_text', text })),
    });
    const framed = (type: string, payload: object): object => ({ timestamp, type, payload });
    const said = [
      message('user', '<environment_context>x</environment_context>'),
      message('developer', 'rules'),
      message('user', 'fix it'),
      { type: 'function_call', name: 'shell' },
      message('assistant', 'Fixed.'),
    ];
    const events = [
      framed('event_msg', { type: 'user_message', message: 'fix it' }),
      framed('turn_context', { cwd: '/w' }),
    ];
    const rollout = lines(
      framed('session_meta', { id: 'r', timestamp, cwd: '/w' }),
      ...said.map((each) => framed('response_item', each)),
      ...events,
    );
    const old = lines({ id: 'r', timestamp, instructions: null }, ...said, { record_type: 'state' });
    for (const text of [rollout, old]) {
      const { found } = await read(text);
      expect(found).toMatchObject([{ program: 'codex', id: 'r', createdAt: Date.parse(timestamp) }]);
      expect(found.flatMap(texts)).toEqual(['user: fix it', 'assistant: Fixed.']);
    }
  });
});

describe('a file', () => {
  const two = [chatGpt('a', ['one']), claude('b', ['two'])];

  it.each<[string, string]>([
    ['a list', JSON.stringify(two)],
    ['a list over many lines, with a byte order mark', `\ufeff${JSON.stringify(two, null, 2)}\n`],
    ['a list within an object', JSON.stringify({ version: 1, conversations: two, more: [{ id: 'x' }] })],
    ['a conversation on each line', lines(...two)],
  ])('may be %s', async (_, text) => {
    const { found, problems } = await read(text);
    expect([found.map(({ id }) => id), problems]).toEqual([['a', 'b'], []]);
  });

  it('of something else has no conversations and no problems', async () => {
    for (const text of [
      '',
      '# Notes',
      '{"a": [1, {"b": 2}]',
      '[{"id":"x"}]',
      lines({ type: 'header' }),
      '\u0000\u0001{"',
    ])
      expect(await read(text, 7, 'x.json')).toEqual({ found: [], problems: [] });
  });

  it('may be longer than what is read at once', async () => {
    const long = [...two, chatGpt('c', ['ü'.repeat(3 * 2 ** 20)])];
    const text = `[${PADDING},${JSON.stringify(long).slice(1)}`;
    for (const size of [1000, 65_536])
      expect((await read(text, size)).found.map(({ id }) => id)).toEqual(['padding', 'a', 'b', 'c']);
    const transcript = lines(
      ...Array.from({ length: 50_000 }, (_, i) => ({
        type: 'user',
        sessionId: 's',
        uuid: String(i),
        message: { role: 'user', content: `message ${String(i)}` },
      })),
    );
    expect((await read(transcript, 1000)).found[0]!.messages).toHaveLength(50_000);
  });

  it('that was cut names the conversation that is not complete', async () => {
    const { found, problems } = await read(
      JSON.stringify([...two, chatGpt('c', ['three'], 'Porto')]).slice(0, -20),
    );
    expect(found.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(problems).toMatchObject([{ message: 'the file ends within it' }]);
    expect(problems[0]!.location).toMatch(/^conversations.json, conversation 3 \(Porto\), at byte \d+$/);
  });

  it('of which the bytes of one conversation are damaged has all others', async () => {
    const conversation = fc.record({
      words: fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 3 }),
      isClaude: fc.boolean(),
    });
    const damage = fc.array(
      fc.record({ at: fc.nat(), byte: fc.constantFrom(...Buffer.from('"{}[],:\\ x0\n')) }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(conversation, { minLength: 2, maxLength: 5 }),
        fc.nat(),
        damage,
        fc.constantFrom(0, 2),
        async (given, which, bytes, indent) => {
          const exported = given.map(({ words, isClaude }, i): ExportedConversation =>
            (isClaude ? claude : chatGpt)(
              `id-${String(i)}`,
              words.map((word) => `${word}!`),
            ),
          );
          const damaged = which % given.length;
          const parts = exported.map((each) => Buffer.from(JSON.stringify(each, null, indent)));
          for (const { at, byte } of bytes) parts[damaged]![at % parts[damaged]!.length] = byte;
          const file = Buffer.concat([
            Buffer.from(`[${PADDING}`),
            ...parts.flatMap((part) => [Buffer.from(','), part]),
            Buffer.from(']'),
          ]);
          const { found } = await read(file, 1 + (which % 50));
          const ids = new Set(found.map(({ id }) => id));
          for (const i of given.keys()) if (i !== damaged) expect(ids).toContain(`id-${String(i)}`);
        },
      ),
      { numRuns: process.env['LOCI_LONG_TESTS'] === undefined ? 100 : 5000 },
    );
  });

  // LOCI_LONG_TESTS=1 npx vitest run src/sources/conversations
  it.runIf(process.env['LOCI_LONG_TESTS'])(
    'of 300 MB is read with 64 MB of memory',
    { timeout: 120_000 },
    async () => {
      const worker = new Worker(
        `const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(async ({ readConversations }) => {
        const one = Buffer.from(workerData.one);
        async function* bytes() {
          yield Buffer.from('[');
          for (let size = 0; size < 300e6; size += one.length) yield* [Buffer.from(size === 0 ? '' : ','), one];
          yield Buffer.from(']');
        }
        let found = 0;
        for await (const { messages } of readConversations('a.json', bytes(), () => {})) found += messages.length;
        parentPort.postMessage(found);
      });`,
        {
          eval: true,
          resourceLimits: { maxOldGenerationSizeMb: 64 },
          workerData: {
            module: new URL('read-conversations.ts', import.meta.url).href,
            one: JSON.stringify(chatGpt('a', Array(30).fill('word '.repeat(250)))),
          },
        },
      );
      const [found] = (await once(worker, 'message')) as [number];
      expect(found).toBeGreaterThan(200_000);
    },
  );
});

describe('what an attacker or a program may leave', () => {
  it('is every message of Claude where only some have parents, or several have one id', async () => {
    const whole = claude('d', ['one', 'two', 'three']);
    const messages = whole['chat_messages'] as Record<string, unknown>[];
    const partial = messages.map((each, i) => (i === 2 ? { ...each, parent_message_uuid: 'm1' } : each));
    expect(await textsOf({ ...whole, chat_messages: partial })).toEqual([
      'user: one',
      'assistant: two',
      'user: three',
    ]);
    const shared = messages.map((each) => ({ ...each, uuid: 'same' }));
    expect(await textsOf({ ...whole, chat_messages: shared })).toHaveLength(3);
  });

  it('is a transcript whose first line is longer than what is looked at', async () => {
    const line = (sessionId: string, text: string): object => ({
      ...{
        parentUuid: null,
        sessionId,
        type: 'user',
        uuid: text.slice(0, 9),
        timestamp: '2026-09-08T15:00:00Z',
      },
      message: { role: 'user', content: text },
    });
    const { found } = await read(
      lines(line('s', 'x'.repeat(2 ** 20)), line('s', 'short')),
      2 ** 16,
      's.jsonl',
    );
    expect(found.map(({ messages }) => messages.length)).toEqual([2]);
    const others = Array.from({ length: 50 }, () => ({ type: 'file-history-snapshot' }));
    expect((await read(lines(...others, line('s', 'late')), 99, 's.jsonl')).found).toHaveLength(1);
  });

  it('is a list that ends between two conversations, which is named', async () => {
    const cut = `[${JSON.stringify(chatGpt('c', ['one']))}, `;
    const { found, problems } = await read(cut);
    expect([found.length, problems.map(({ message }) => message)]).toEqual([
      1,
      ['the file ends before its list does'],
    ]);
  });
});
