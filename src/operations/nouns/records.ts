import { searchInput, searchOutput } from '../../engine/records/results/search-fields.ts';
import { get, getInput, getOutput } from '../../engine/records/get.ts';
import { listInput, listOutput, listRecords } from '../../engine/records/list.ts';
import { timeline, timelineInput, timelineOutput } from '../../engine/packs/timeline.ts';
import {
  writeInput,
  writeOutput,
  updateInput,
  updateOutput,
  deleteInput,
  deleteOutput,
  undeleteInput,
  undeleteOutput,
} from '../../engine/records/record-schemas.ts';
import { operation, withNames } from '../operation.ts';

export const recordOperations = withNames({
  search: operation({
    description:
      'Finds records by their words, meaning, spelling and recency, in one ranking. Ask as you would ask a person. Each ' +
      'result has a snippet, a citation that `get` reads, its age, its source and the reasons why it was found. No ' +
      'results means that no record is about the query, not that something failed.',
    input: searchInput,
    output: searchOutput,
    kind: 'read',
    scope: 'read',
    tool: 'memory_search',
    examples: [
      { title: 'Ask in plain words', input: { query: 'what did we decide about the oven' } },
      { title: 'An exact phrase, three results', input: { query: '"gas line"', limit: 3 } },
      {
        title: 'Notes of one autumn with a tag',
        input: { query: 'kitchen', tags: ['home'], from: '2026-09-01', until: '2026-11-30' },
      },
      { title: 'Notes about plugins without drafts', input: { query: 'install path:Plugins -tag:draft' } },
      { title: 'See why each result was found', input: { query: 'kitchen remodel', explain: true } },
    ],
    run: async (context, given) => {
      const { search } = await import('../../engine/records/search.ts');
      return search(await context.loci(), given, context);
    },
  }),
  get: operation({
    description:
      'Reads the whole record of a citation, the lines in it (`path#L3-L9`), or the text below a heading (`path#Heading`). Only indexed records can be read, as they ' +
      'were when they were indexed.',
    input: getInput,
    output: getOutput,
    kind: 'read',
    scope: 'read',
    tool: 'memory_get',
    examples: [
      { title: 'A whole note', input: { citation: 'Home/Kitchen remodel.md' } },
      { title: 'The lines of a search result', input: { citation: 'Home/Kitchen remodel.md#L24-L40' } },
      { title: 'A note by its name', input: { citation: 'kitchen remodel' } },
      { title: 'The text below a heading', input: { citation: 'Home/Kitchen remodel.md#Oven' } },
      { title: 'A record that `loci write` stored', input: { citation: 'record/1' } },
    ],
    run: async (context, given) => get(await context.loci(), given),
  }),
  list: operation({
    description:
      'Lists records without a query: notes, documents of sources, facts and written records. Those that were stored last ' +
      'come first; notes are stored in the order in which they were indexed.',
    input: listInput,
    output: listOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_records',
    examples: [
      { title: 'What was stored last', input: {} },
      { title: 'The notes of a vault with a tag', input: { vaults: ['vault'], tags: ['home'] } },
      { title: 'What agents and people wrote', input: { origins: ['memory'], limit: 50 } },
    ],
    run: async (context, given) => listRecords(await context.loci(), given),
  }),
  timeline: operation({
    description:
      'What came before and after a record or a moment, a line each with a citation that `get` reads. The order is by the day of a ' +
      'note, the start of an event, or else the last update.',
    input: timelineInput,
    output: timelineOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_timeline',
    examples: [
      { title: 'Around now', input: {} },
      { title: 'Around a note', input: { anchor: 'Home/Kitchen remodel.md', before: 5, after: 5 } },
      { title: 'From a day on, in a project', input: { time: '2026-09-14', before: 0, project: 'home' } },
    ],
    run: async (context, given) => timeline(await context.loci(), given),
  }),
  write: operation({
    description:
      'Stores lasting knowledge that will matter later, such as a decision or what was learned, one thing in each record. When ' +
      'this returns, the record is durable and search finds it.',
    input: writeInput,
    output: writeOutput,
    kind: 'write',
    scope: 'write',
    needsWrites: true,
    tool: 'memory_write',
    examples: [
      { title: 'A fact', input: { content: 'The plumber is Tove, she prefers text messages' } },
      {
        title: 'A decision with a title and tags',
        input: {
          content: 'We take the oak worktop, oiled, not lacquered.',
          title: 'Worktop',
          record_type: 'decision',
          tags: ['kitchen', 'home'],
        },
      },
    ],
    run: async (context, given) => {
      const { write } = await import('../../engine/records/write.ts');
      return write(await context.loci({ create: true }), given);
    },
  }),
  update: operation({
    description:
      'Changes the given fields of a record that `write` stored; the others stay. The former values are in the audit log. ' +
      'Notes are changed in their vault, facts by storing them again.',
    input: updateInput,
    output: updateOutput,
    kind: 'write',
    scope: 'write',
    needsWrites: true,
    tool: 'memory_update',
    examples: [
      { title: 'A new title', input: { id: 2, title: 'Worktop: oak' } },
      { title: 'New tags in place of the former ones', input: { id: 2, tags: ['kitchen', 'decided'] } },
    ],
    run: async (context, given) => {
      const { update } = await import('../../engine/records/update.ts');
      return update(await context.loci(), given);
    },
  }),
  delete: operation({
    description:
      'Removes a record from all results. Nothing is destroyed yet: `undelete` restores it until it is purged, after 30 ' +
      'days unless configured otherwise. Notes are removed by deleting their files.',
    input: deleteInput,
    output: deleteOutput,
    kind: 'write',
    scope: 'write',
    needsWrites: true,
    tool: 'memory_delete',
    examples: [{ title: 'A record that is no longer true', input: { id: 1 } }],
    run: async (context, given) => {
      const { deleteRecord } = await import('../../engine/records/delete.ts');
      return deleteRecord(await context.loci(), given);
    },
  }),
  undelete: operation({
    description: 'Restores a deleted record or fact as it was; search finds it again at once.',
    input: undeleteInput,
    output: undeleteOutput,
    kind: 'write',
    scope: 'write',
    listedOnRequest: true,
    tool: 'memory_undelete',
    examples: [{ title: 'A record that was deleted by mistake', input: { id: 1 } }],
    run: async (context, given) => {
      const { undelete } = await import('../../engine/records/delete.ts');
      return undelete(await context.loci(), given);
    },
  }),
});
