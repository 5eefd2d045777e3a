import type { TaskRunner, ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { forceSteps, NODE_WIDTH } from './force-steps.ts';
import type { LayoutOptions } from './layout.ts';

const FORCE_STEPS: ThreadTask<Parameters<typeof forceSteps>, Float32Array> = {
  module: workerModule(import.meta.url, 'force-steps'),
  name: forceSteps.name,
  inline: forceSteps,
};

/** Moves the nodes in a thread, unless they are few. */
export function inThread(
  thread: TaskRunner,
  signal?: AbortSignal,
): Pick<LayoutOptions, 'move' | 'yieldToEventLoop'> {
  return {
    move: async (nodes, edges, steps) => {
      const size = (nodes.length / NODE_WIDTH) * steps;
      return new Float32Array(await thread.run(FORCE_STEPS, [nodes, edges, steps], { size, signal }));
    },
    yieldToEventLoop: () => thread.yieldToEventLoop(SIZE_OF_TURN),
  };
}

/** More than a thread does without a turn of the event loop. */
const SIZE_OF_TURN = 10_000;
