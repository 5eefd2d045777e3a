import type { StartupTextOutput } from '../../../engine/startup/startup-fields.ts';
import { withoutHidden } from '../../shared/escape-control.ts';
import type { ModelResult, OperationResult } from './model-result.ts';

const NOTHING_NEW =
  'There is no startup text to read now: the user has written none for this agent, or this session has been given it before and ' +
  'it has not changed.';

/** What the user wants every agent to know: instructions of theirs, so that it is not fenced. */
export const startupResult: OperationResult = {
  resultOf: ({ text }: StartupTextOutput): ModelResult =>
    text === ''
      ? {
          summary: [NOTHING_NEW],
          fields: {},
          text: '',
          writtenBy: 'loci',
        }
      : { fields: { text }, text: withoutHidden(text), writtenBy: 'loci' },
  types: { text: 'string' },
};
