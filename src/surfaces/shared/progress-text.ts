import type { Progress } from '../../core/progress.ts';

/** What a long call is doing: `reading notes`, `embedding`. */
export function stageText({ stage, subject }: Pick<Progress, 'stage' | 'subject'>): string {
  switch (stage) {
    case 'reading':
      return `reading ${subject}`;
    case 'deriving':
      return 'cutting into passages';
    case 'relating':
      return 'relating records to each other';
    case 'embedding':
      return 'embedding';
    case 'indexing':
      return 'making the index of the vectors, which searches do not wait for';
    case 'copying':
      return `copying ${subject}`;
    case 'deleting':
      return `deleting ${subject}`;
    case 'checking':
      return `checking ${subject}`;
    case 'waiting':
      return `waiting for ${subject}`;
  }
}
