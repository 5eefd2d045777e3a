import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { setUpOpenclaw } from './setup.ts';

it('without a terminal and --yes, setup refuses before it looks at anything', async () => {
  const written: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  const io = { stdin: Readable.from([]), stdout: stderr, stderr, env: {} };
  // Looking at this program would fail.
  const call = {
    operands: [],
    lists: {},
    options: { openclaw: '/missing/openclaw' },
    json: false,
    home: undefined,
  };
  const services = {
    answerCommands: () => Promise.reject(new Error()),
  };
  await expect(setUpOpenclaw(call, io, services)).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'there is no terminal to ask in',
  });
  expect(written).toEqual([]);
});
