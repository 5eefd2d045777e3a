import type { ListOutput } from '../../../operations/records/list.ts';
import type { ModelResult, OperationResult } from './model-result.ts';
import { tagFields } from './provenance.ts';
import { unmatchedLines } from './unmatched.ts';

export const listResult: OperationResult = {
  resultOf: ({ records, total, next, unmatched }: ListOutput): ModelResult => ({
    summary: unmatchedLines(unmatched),
    fields: {
      records: records.map(({ citation, title, age, trust, source, tags }) => ({
        ...{ citation, title, age, trust, source },
        ...tagFields(tags),
      })),
      total,
      next,
    },
    writtenBy: 'others',
  }),
  types: { records: 'array', total: 'integer', next: 'integer' },
};
