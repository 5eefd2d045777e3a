/** The entry of a thread that runs tasks; see `task-thread.ts`. */

import { serveRequests } from './serve-requests.ts';
import type { TaskMessage } from './task-thread.ts';

serveRequests(async (message) => {
  const { module, name, parameters } = message as TaskMessage;
  const exported = (await import(module)) as Readonly<Record<string, unknown>>;
  const task = exported[name];
  if (typeof task !== 'function') throw new Error(`${module} exports no function ${name}`);
  return (task as (...parameters: readonly unknown[]) => unknown)(...parameters);
});
