// A plugin with a wiki of one page, which answers every search.
const PAGE = { corpus: 'wiki', path: 'Heating.md', title: 'Heating', kind: 'page', id: 'heating' };
const TEXT = 'The heat pump is serviced in March.';

export default {
  id: 'test-wiki',
  name: 'Wiki of the tests',
  description: 'One page.',
  register(api) {
    api.registerMemoryCorpusSupplement({
      search: ({ agentId }) =>
        Promise.resolve([{ ...PAGE, score: 0.5, snippet: `${TEXT} Asked by ${agentId}.` }]),
      get: ({ lookup }) =>
        Promise.resolve(lookup === PAGE.path ? { ...PAGE, content: TEXT, fromLine: 1, lineCount: 1 } : null),
    });
  },
};
