import type { ProgressOptions } from '../../core/progress.ts';
import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { Timestamp } from '../../core/types.ts';
import type { Fence } from '../../store/model.ts';
import type { Store } from '../../store/store.ts';

/** What the derivation of concepts needs. */
export interface ConceptOptions extends ProgressOptions {
  readonly store: Pick<Store, 'records' | 'graph' | 'search'>;
  readonly namespace: string;
  /** Reads long texts. */
  readonly thread: TaskRunner;
  readonly now: Timestamp;
  /** The store refuses to write after another process has taken over this lease. */
  readonly fence?: Fence;
}
