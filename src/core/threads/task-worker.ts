/** The entry of a thread that works on texts; see `task-thread.ts`. */

import { parentPort } from 'node:worker_threads';
import { LociError, messageOf } from '../errors.ts';
import type { TaskAnswer, TaskError, TaskMessage } from './task-thread.ts';

if (parentPort === null) throw new Error('task-worker.ts runs in a worker only');
const port = parentPort;

async function work({ module, name, parameters }: TaskMessage): Promise<unknown> {
  const exported = (await import(module)) as Readonly<Record<string, unknown>>;
  const task = exported[name];
  if (typeof task !== 'function') throw new Error(`${module} exports no function ${name}`);
  return (task as (...parameters: readonly unknown[]) => unknown)(...parameters);
}

function taskError(error: unknown): TaskError {
  if (error instanceof LociError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error) };
}

async function answer(message: TaskMessage): Promise<void> {
  try {
    port.postMessage({ value: await work(message) } satisfies TaskAnswer);
  } catch (error) {
    port.postMessage({ error: taskError(error) } satisfies TaskAnswer);
  }
}

port.on('message', (message: TaskMessage) => {
  void answer(message);
});
