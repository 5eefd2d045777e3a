import { SOURCE_PROOFS } from './source-requirements.ts';

/** The ids of the requirements: R records and search, S sources, F facts, G graph and packs, A adapters. */
const COUNTS = { R: 19, S: 15, F: 9, G: 13, A: 6 } as const;

export const REQUIREMENT_IDS: readonly string[] = Object.entries(COUNTS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

/** A test that would fail if the requirement were not met. */
export interface Proof {
  readonly file: string;
  /** The name in `it('…')`. */
  readonly test: string;
}

/** The tests that prove each requirement. A requirement that no test proves yet is absent. */
export const PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  ...SOURCE_PROOFS,
  G1: [
    {
      file: 'src/engine/graph/graph.test.ts',
      test: 'stay in a project, unless a request and the settings let a type of edge lead out of it',
    },
    {
      file: 'src/engine/graph/graph.test.ts',
      test: 'say the reason and the place of an edge into another project, and that it leads there',
    },
    { file: 'test/contract/store-graph.ts', test: 'leads to another project only by types that may' },
  ],
  G2: [
    {
      file: 'src/engine/graph/graph.test.ts',
      test: 'is the same, byte for byte, whatever the order in which the notes were indexed, and after a rebuild',
    },
    {
      file: 'src/engine/graph/graph.test.ts',
      test: 'has links, embeds, statements, tasks, projects and types, each with its reason and place',
    },
    {
      file: 'test/arch/docs.test.ts',
      test: 'docs/graph.schema.json is what `node scripts/graph-schema.ts` writes',
    },
    { file: 'src/engine/graph/masked-answers.test.ts', test: 'are masked in an export' },
    { file: 'test/e2e/graph.test.ts', test: 'is exported, and two exports are compared' },
  ],
  G10: [
    {
      file: 'eval/labels.test.ts',
      test: 'scores the present ranking on the labels of a store, and of its export, without changing the store',
    },
    {
      file: 'test/e2e/receipts.test.ts',
      test: 'is labelled with the pack or later, and the labels are exported',
    },
  ],
  G13: [
    {
      file: 'eval/answers/systems.test.ts',
      test: 'names the statements that each text lacks, and counts its tokens',
    },
    { file: 'eval/answers/systems.test.ts', test: 'notices which texts say that there is no answer' },
  ],
  G12: [
    {
      file: 'test/e2e/timeline.test.ts',
      test: 'has the records around one in the order of their own dates, with citations that get reads',
    },
    {
      file: 'test/e2e/timeline.test.ts',
      test: 'stays within its budget of tokens, nearest records first, over MCP too',
    },
    { file: 'test/e2e/timeline.test.ts', test: 'is around a day or now, and limited to a project or a tag' },
    {
      file: 'test/contract/store-timeline.ts',
      test: 'has the records before and after a record, nearest first, ties by id',
    },
  ],
  R1: [
    {
      file: 'src/engine/records/languages.test.ts',
      test: 'is searched for other inflections of the words of a query, which are marked: %j',
    },
    { file: 'src/search/rank/fuse.test.ts', test: 'fuses reciprocal ranks, scaled so that rank 1 scores 1' },
    { file: 'src/search/rank/fuse.test.ts', test: 'reports what each signal added' },
    {
      file: 'test/e2e/newcomer.test.ts',
      test: 'finds the intended note, with age, source, citation and reasons',
    },
  ],
  R2: [
    {
      file: 'src/search/rank/rank.test.ts',
      test: 'never ranks a record above one that matches better by more than the reach of recency (R2)',
    },
  ],
  R3: [
    {
      file: 'test/e2e/newcomer.test.ts',
      test: 'finds the intended note, with age, source, citation and reasons',
    },
  ],
  R4: [
    { file: 'test/e2e/newcomer.test.ts', test: 'reads the text of a citation, with line numbers or plain' },
  ],
  R5: [
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'has the category general and the type fact by default, and is found at once',
    },
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'may write only if the settings allow it, and the error names the setting',
    },
  ],
  R6: [
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'changes only in the given fields; an unchanged text is not chunked and embedded again',
    },
  ],
  R7: [
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'is in no output when it is deleted, and can be restored unchanged',
    },
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'is purged some time after its deletion, and undelete reports that',
    },
  ],
  R8: [
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'is in no output when it is deleted, and can be restored unchanged',
    },
  ],
  R9: [
    {
      file: 'test/e2e/written-memory.test.ts',
      test: 'shows for each change the actor, the surface, the time and the diff',
    },
    { file: 'test/e2e/written-memory.test.ts', test: 'cannot be rewritten' },
  ],
  R10: [
    {
      file: 'test/openclaw/prompt.test.ts',
      test: 'the prompt before the messages has the same bytes in ten turns',
    },
    {
      file: 'test/e2e/startup-text.test.ts',
      test: 'starts with the highest priority, and gives nothing in place of an entry that does not fit',
    },
    {
      file: 'test/e2e/startup-text.test.ts',
      test: 'has the budget of the longest key that the name of the model contains, in any case',
    },
    {
      file: 'test/e2e/startup-text.test.ts',
      test: 'is sent at every turn, at the first, or after a change, according to the mode',
    },
    {
      file: 'test/e2e/startup-text.test.ts',
      test: 'contains the entries for the agent, instead of those for all agents with the same key',
    },
  ],
  R11: [
    {
      file: 'src/embed/providers.test.ts',
      test: 'returns a unit vector for each text, in order, and sends the key in its header',
    },
    { file: 'src/embed/real-servers.test.ts', test: 'gives the vectors of the bundled model' },
    {
      file: 'src/embed/command/command.test.ts',
      test: 'gives the vectors of the model behind it, and ends with the embedder',
    },
    {
      file: 'src/embed/providers.test.ts',
      test: 'does not repeat a request with a wrong key, and never shows the key',
    },
    {
      file: 'test/e2e/local-model.test.ts',
      test: 'finds a text that has no word of the query, and lets the process end',
    },
  ],
  R12: [
    {
      file: 'src/engine/records/provider-down.test.ts',
      test: 'is refused at the first search and write, with the command that resolves it: %s',
    },
    {
      file: 'src/engine/embedding/backfill.test.ts',
      test: 'fills the new vectors beside the old ones, which keep answering, and then switches at once',
    },
    { file: 'test/contract/store-vectors.ts', test: 'never compares vectors of two generations' },
    {
      file: 'test/contract/store-vectors.ts',
      test: 'rejects vectors of another length or with NaN, and unknown generations',
    },
    {
      file: 'src/engine/records/write.test.ts',
      test: 'refuses to compare vectors of two models, and names both and the command to run',
    },
  ],
  R13: [
    {
      file: 'src/engine/embedding/previous-model.test.ts',
      test: 'is answered by the previous model, and says so',
    },
    {
      file: 'src/engine/embedding/previous-model.test.ts',
      test: 'runs the golden queries with both, and says which answers more of them better',
    },
    {
      file: 'test/faults/embed-backfill.test.ts',
      test: 'goes on after kill -9, misses no text, and repeats only what was in work',
    },
    { file: 'test/faults/embed-backfill.test.ts', test: 'is shared by processes, which embed no text twice' },
    {
      file: 'src/engine/embedding/backfill.test.ts',
      test: 'is counted without sending or storing anything',
    },
  ],
  R14: [
    {
      file: 'test/faults/store-migration.test.ts',
      test: 'refuses a store of a newer schema and does not change it',
    },
    {
      file: 'test/faults/store-migration.test.ts',
      test: 'makes a private copy of an older store before it changes it',
    },
    { file: 'test/faults/store-migration.test.ts', test: 'that fails changes nothing' },
  ],
  R17: [
    {
      file: 'test/openclaw/setup.test.ts',
      test: 'sets up a fresh configuration after a dry run that changes nothing',
    },
    { file: 'test/openclaw/setup.test.ts', test: 'keeps comments, included files and other plugins' },
    {
      file: 'test/openclaw/running.test.ts',
      test: 'beside a running gateway, a setup that fails and one that is undone leave each byte as it was',
    },
    {
      file: 'test/openclaw/setup.test.ts',
      test: 'undoes the first setup byte for byte, and removes the plugin',
    },
    {
      file: 'src/surfaces/openclaw/setup/config/config-files.test.ts',
      test: 'gives the same bytes for every layout',
    },
  ],
  R18: [
    {
      file: 'src/engine/golden/golden.test.ts',
      test: 'is replayed with what is missing, what moved and what is new',
    },
    { file: 'src/engine/golden/golden.test.ts', test: 'is exported and imported, and stays removed' },
    {
      file: 'test/e2e/golden.test.ts',
      test: 'records, lists, replays, compares and removes, and its exit code says that something is missing',
    },
  ],
  R19: [
    {
      file: 'src/surfaces/openclaw/engine/settings.test.ts',
      test: 'may be that of memory-shadowdb, whose keys are mapped, or named with what to write instead (R19)',
    },
    {
      file: 'src/config/pasted.test.ts',
      test: 'are mapped to those of Loci; the others are named, with what holds instead',
    },
    { file: 'src/config/pasted.test.ts', test: 'name sources, whose list may be edited like that of Loci' },
  ],
  R15: [
    { file: 'test/property/portable.test.ts', test: 'is equal in the other store' },
    { file: 'test/e2e/portable.test.ts', test: 'is imported completely, and searches find the same' },
    {
      file: 'test/e2e/portable.test.ts',
      test: 'is imported once, and a later import applies the edits',
    },
  ],
  R16: [
    {
      file: 'src/engine/records/provider-down.test.ts',
      test: 'keeps what is written, which is found by words at once and embedded later',
    },
    {
      file: 'test/faults/cli-model-down.test.ts',
      test: 'does not prevent writes and text search, and missing embeddings are added later',
    },
  ],
  F1: [
    {
      file: 'test/e2e/rest-facts.test.ts',
      test: 'stores a fact in user_facts for 90 days unless a category or lifetime is given (F1, F2)',
    },
    {
      file: 'test/e2e/rest-facts.test.ts',
      test: 'refuses invalid facts with 400 invalid_input, and stores nothing (F1)',
    },
  ],
  F5: [
    {
      file: 'test/e2e/mcp-stdio.test.ts',
      test: 'has the startup text and the categories of facts as resources (F5)',
    },
  ],
  F2: [
    {
      file: 'test/e2e/stored-facts.test.ts',
      test: 'is stored in user_facts for 90 days by default, and a new value replaces it',
    },
    { file: 'test/e2e/stored-facts.test.ts', test: 'has a lifetime between an hour and 365 days' },
    { file: 'test/e2e/stored-facts.test.ts', test: 'is in no output as soon as it expires' },
  ],
  F3: [
    { file: 'test/e2e/stored-facts.test.ts', test: 'cannot be stored in a category of the history' },
    {
      file: 'test/e2e/tool-history.test.ts',
      test: 'is recorded once over REST and MCP, and returned by memory_corpus, whose own runs are not (F3, F7)',
    },
    {
      file: 'test/e2e/tool-history.test.ts',
      test: 'is recorded without texts and secrets in any file of the store',
    },
    { file: 'test/e2e/tool-history.test.ts', test: 'cannot be written to %s by callers (F3)' },
  ],
  F4: [
    {
      file: 'test/e2e/stored-facts.test.ts',
      test: 'can be forgotten by key, by prefix or by category, and restored',
    },
    { file: 'test/e2e/stored-facts.test.ts', test: 'is listed in pages, and by tag' },
  ],
  F7: [
    {
      file: 'src/surfaces/openclaw/engine/engine.test.ts',
      test: 'finds runs of tools after everything else, and reads them (F7)',
    },
    { file: 'test/e2e/rest-facts.test.ts', test: 'gives facts and runs as documents of QMD (F7)' },
    {
      file: 'src/engine/facts/corpus.test.ts',
      test: 'has facts before runs, also where a run is newer or matches better',
    },
  ],
  F6: [
    {
      file: 'test/property/isolation.test.ts',
      test: 'get the same results as if each were alone, from every operation on every surface (F6)',
    },
    {
      file: 'test/contract/store-written-isolation.ts',
      test: 'cannot be reached from another namespace by an id, a key or a chain',
    },
    {
      file: 'test/e2e/rest-identity.test.ts',
      test: 'gives access to the memory of the token’s subject and to no other',
    },
  ],
  G11: [
    {
      file: 'test/contract/store-graph.ts',
      test: 'has for each record what was contributed last, in each lane',
    },
    {
      file: 'test/property/links.test.ts',
      test: 'links are equal to those of the oracle, the graph to one derived at once, and the change feed leads to the live records',
    },
    { file: 'test/property/store.test.ts', test: 'returns the same results as the oracle after any history' },
  ],
  G3: [
    {
      file: 'src/engine/packs/node-texts.test.ts',
      test: 'has candidates and suggestions, each with its node and the reason for it',
    },
    {
      file: 'test/e2e/node-texts.test.ts',
      test: 'prints 800 to 1,000 tokens about a query, whose ids `loci graph pack` takes',
    },
    {
      file: 'src/pack/node-pack.property.test.ts',
      test: 'never exceed their budget, stay in their fence, and can be made again from their receipts',
    },
  ],
  G4: [
    {
      file: 'src/engine/packs/node-texts.test.ts',
      test: 'has a summary of each with its citation and why it is there, and no raw text in safe mode',
    },
    {
      file: 'src/engine/packs/node-texts.test.ts',
      test: 'has snippets only if they are asked for, without credentials in any mode',
    },
    {
      file: 'src/pack/node-pack.property.test.ts',
      test: 'have 3,000 tokens of snippets at most, and 300 of one',
    },
    {
      file: 'test/e2e/node-texts.test.ts',
      test: 'says why there is no text, which nodes are unknown, and what is out of range',
    },
  ],
  G5: [
    {
      file: 'src/engine/packs/graph-lane.test.ts',
      test: 'has what the best results link to, and says how it came',
    },
    {
      file: 'test/e2e/packs.test.ts',
      test: 'adds what the graph leads to, if it is asked to, and takes --graph and --no-graph for it',
    },
    {
      file: 'src/pack/pack.property.test.ts',
      test: 'never exceeds its budget, is the same each time, and can be made again from its receipt',
    },
  ],
  G6: [
    {
      file: 'src/engine/packs/graph-lane.test.ts',
      test: 'has a receipt with the path of each expansion, in ids, lines and hashes, without a title',
    },
    {
      file: 'src/engine/packs/memory-pack.test.ts',
      test: 'has a receipt from which every byte of a record in it can be made again, without a text',
    },
  ],
  G7: [
    {
      file: 'test/faults/pack-graph.test.ts',
      test: '%s, are as without it',
    },
    {
      file: 'test/faults/pack-graph.test.ts',
      test: 'the graph is slower than its deadline, are as without it, and the pack does not wait',
    },
    {
      file: 'src/engine/packs/graph-lane.test.ts',
      test: 'the pack is the baseline, byte for byte, and the receipt says so',
    },
    {
      file: 'src/engine/packs/graph-lane.test.ts',
      test: 'stays in the project of a result, unless the request and the settings let it lead out',
    },
  ],
  G9: [
    {
      file: 'src/engine/health/check-graph.test.ts',
      test: 'finds %s, which a plain reindex repairs',
    },
    {
      file: 'src/engine/graph/concepts/concepts.test.ts',
      test: 'list names of two notes as conflicts, which a merge settles and its undo restores',
    },
    {
      file: 'src/engine/graph/concepts/concepts.test.ts',
      test: 'keep their ids through a merge, a rename and a split',
    },
    {
      file: 'src/graph/concepts/concept-changes.test.ts',
      test: 'restores the concepts before the change, in any sequence of changes that are allowed',
    },
    {
      file: 'test/property/concepts.test.ts',
      test: 'are the same whether they followed the changes or were derived at once',
    },
  ],
};
