/** The ids of the requirements: R records and search, S sources, F facts, G graph and packs, A adapters. */
const COUNTS = { R: 19, S: 15, F: 10, G: 13, A: 6 } as const;

export const REQUIREMENT_IDS: readonly string[] = Object.entries(COUNTS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

/**
 * The tests that prove each requirement: the file, and the name in `it('…')`. Each would fail if the requirement were not met.
 * A requirement that no test proves yet is absent.
 */
export const PROOFS: Readonly<Record<string, readonly `${string} > ${string}`[]>> = {
  R1: [
    'src/engine/records/languages.test.ts > is searched for other inflections of the words of a query, which are marked: %j',
    'src/search/rank/fuse.test.ts > fuses reciprocal ranks, scaled so that rank 1 scores 1',
    'src/search/rank/fuse.test.ts > reports what each signal added',
    'test/e2e/newcomer.test.ts > finds the intended note, with age, source, citation and reasons',
  ],
  R2: [
    'src/engine/records/newest.test.ts > of memories that say the same the latest stands first, and the earlier ones name it',
    'src/engine/reading/copied-vaults.test.ts > a note that is edited after the copy has the time of that again, and the others stay as they are',
    'src/search/rank/rank.test.ts > never ranks a record above one that matches better by more than the reach of recency (R2)',
  ],
  R3: ['test/e2e/newcomer.test.ts > finds the intended note, with age, source, citation and reasons'],
  R4: [
    'test/e2e/newcomer.test.ts > reads the text of a citation, with line numbers or plain',
    'src/engine/browse/browse.test.ts > is not served for %s: %s',
    'src/engine/browse/browse.test.ts > tells the owner alone where its file is, and what was deleted',
  ],
  R5: [
    'test/e2e/written-memory.test.ts > has the category general and the type fact by default, and is found at once',
    'test/e2e/written-memory.test.ts > may write only if the settings allow it, and the error names the setting',
  ],
  R6: [
    'test/e2e/written-memory.test.ts > changes only in the given fields; an unchanged text is not chunked and embedded again',
  ],
  R7: [
    'test/web/records.test.ts > deletes without a question, with a way back here, in the message and in the list',
    'test/e2e/written-memory.test.ts > is in no output when it is deleted, and can be restored unchanged',
    'src/engine/shared/retention.test.ts > can be restored until it is purged with an audit entry',
  ],
  R8: ['test/e2e/written-memory.test.ts > is in no output when it is deleted, and can be restored unchanged'],
  R9: [
    'test/e2e/written-memory.test.ts > shows for each change the actor, the surface, the time and the diff',
    'test/e2e/written-memory.test.ts > cannot be rewritten',
    'test/e2e/ui-sessions.test.ts > begins with the code of a link, and acts for the owner with the cookie and the header',
  ],
  R10: [
    'test/openclaw/prompt.test.ts > in twenty turns, each request begins with all of the one before, up to the end of its message',
    'test/e2e/startup-text.test.ts > starts with the highest priority, and gives nothing in place of an entry that does not fit',
    'test/e2e/startup-text.test.ts > has the budget of the longest key that the name of the model contains, in any case',
    'test/e2e/startup-text.test.ts > is sent at every turn, at the first, or after a change, according to the mode',
    'src/engine/startup/startup.test.ts > is that of their keys until one is moved, within its priority or to another one',
    'test/e2e/startup-text.test.ts > contains the entries for the agent, instead of those for all agents with the same key',
  ],
  R11: [
    'src/embed/providers.test.ts > returns a unit vector for each text, in order, and sends the key in its header',
    'src/embed/real-servers.test.ts > a process that serves the bundled model like Ollama gives its vectors, and may be killed and started again',
    'src/embed/command/command.test.ts > gives the vectors of the model behind it, and ends with the embedder',
    'src/embed/providers.test.ts > does not repeat a request with a wrong key, and never shows the key',
    'test/e2e/local-model.test.ts > finds a text that has no word of the query, and lets the process end',
  ],
  R12: [
    'src/engine/records/provider-down.test.ts > leaves searches and writes to the vectors of before, and says what to run: %s',
    'src/engine/embedding/backfill.test.ts > fills the new vectors beside the old ones, which keep answering, then switches and removes them',
    'test/contract/store-vectors.ts > never compares vectors of two generations',
    'test/contract/store-vectors.ts > rejects vectors of another length or with NaN, and unknown generations',
    'src/engine/records/write.test.ts > compares no vectors of two models: words answer, a reindex is refused, and both are named',
  ],
  R13: [
    'src/engine/embedding/previous-model.test.ts > is answered by the previous model, and says so, until all vectors are made',
    'test/faults/embed-backfill.test.ts > goes on after kill -9 while searches use the vectors of before, misses no text, and then switches',
    'test/faults/embed-backfill.test.ts > is done once by processes that start together, although some texts are refused, and says which',
    'src/engine/embedding/backfill.test.ts > is counted without sending or storing anything',
  ],
  R14: [
    'test/faults/store-migration.test.ts > refuses a store of a newer schema and does not change it',
    'test/faults/store-migration.test.ts > makes a private copy of an older store before it changes it',
    'test/faults/store-migration.test.ts > that fails changes nothing',
  ],
  R15: [
    'test/property/portable.test.ts > is equal in the other store',
    'test/e2e/portable.test.ts > is imported completely, and searches find the same',
    'test/e2e/portable.test.ts > is imported once, and a later import applies the edits',
    'src/engine/portable/shadowdb.test.ts > has the records with all of their fields, and the startup entries',
  ],
  R16: [
    'src/engine/records/provider-down.test.ts > keeps what is written, which is found by words at once and embedded later',
    'test/faults/cli-model-down.test.ts > does not prevent writes and text search, and missing embeddings are added later',
  ],
  R17: [
    'test/openclaw/setup.test.ts > sets up a fresh configuration after a dry run that changes nothing',
    'test/openclaw/setup.test.ts > keeps comments, included files and other plugins, and takes over the settings of memory-shadowdb',
    'test/openclaw/running.test.ts > beside a running gateway, a setup that fails and one that is undone leave each byte as it was',
    'test/openclaw/setup.test.ts > undoes the first setup byte for byte, and removes the plugin',
    'src/surfaces/openclaw/setup/config-files.test.ts > has all other values and all comments of any layout',
  ],
  R18: [
    'test/e2e/golden.test.ts > records what a file does not expect yet, compares the rest, and its exit code says that something is missing',
  ],
  R19: [
    'src/surfaces/openclaw/engine/settings.test.ts > may be that of memory-shadowdb, whose keys are mapped, or named with what to write instead (R19)',
    'src/config/pasted.test.ts > are mapped to those of Loci; the others are named, with what holds instead',
    'src/config/pasted.test.ts > name sources, whose list may be edited like that of Loci',
  ],
  S1: [
    'test/e2e/homes.test.ts > keep the record of a moved note, remove that of a deleted one, and keep all if suddenly empty',
    'test/faults/cli-interrupted.test.ts > continues after kill -9, with every committed note and the same search results',
    'test/e2e/watch.test.ts > reports a changed note after it can be found',
    'src/sources/vault/vault.test.ts > reads dates whose order is not clear as other dates of the vault are written, or as the setting says',
  ],
  S2: [
    'test/e2e/sources.test.ts > is listed, approved, tested, refreshed and found (S2)',
    'test/e2e/live-settings.test.ts > a server uses a source and weights that the settings get while it runs, and keeps its own while the file is not YAML',
    'test/e2e/watch.test.ts > runs a source after it is approved and whenever it is due, but not after a watched file changed',
    'test/e2e/ui-events.test.ts > is of exactly what was shown',
    'test/e2e/source-examples.test.ts > %s is found by search, with its origin',
  ],
  S3: [
    'src/engine/reading/sources.test.ts > adds new documents, updates changed ones and removes missing ones',
    'test/faults/source-processes.test.ts > during a refresh leaves all of its documents and state, or none',
  ],
  S4: [
    'test/e2e/default-skills.test.ts > is a source without settings, once it is approved',
    'src/engine/reading/configured/skills.test.ts > has a source that waits for approval, with the exact command',
    'src/engine/reading/configured/skills.test.ts > keeps its documents when it is removed, and is reported as gone',
    'test/e2e/source-examples.test.ts > %s is found by search, with its origin',
  ],
  S5: [
    'test/e2e/sources.test.ts > weight orders documents that match equally well, and --explain shows it (S5)',
    'src/search/rank/ranking.test.ts > ranks a note above a todo that matches equally well, for any times of both',
  ],
  S6: [
    'src/search/rank/rank.test.ts > ranks the newer of two equal matches higher, and reports the contribution of recency',
    'src/search/rank/rank.test.ts > computes the recency of a source with its own weight and half-life, a week by default',
  ],
  S7: [
    'src/ingest/replace-documents.test.ts > removes completed documents first, the oldest of them before the others',
    'src/ingest/replace-documents.test.ts > removes the oldest open documents after the completed ones',
    'src/engine/reading/sources.test.ts > keeps at most maxDocuments documents',
  ],
  S8: [
    'test/e2e/sources.test.ts > minScore hides its weak matches and says so (S8)',
    'src/search/rank/ranking.test.ts > drops hits below the minimum score of their source, without counting them towards the limit',
  ],
  S9: [
    'test/e2e/sources.test.ts > keeps its documents when it fails, reports the error and its time, and exits with 8 (S9)',
    'src/engine/reading/sources.test.ts > that fails keeps the last documents, is retried after increasing delays, and recovers',
    'test/faults/source-clock.test.ts > a source that hangs does not delay searches, other sources or the end of the engine',
  ],
  S10: [
    'test/e2e/sources.test.ts > enabled: false excludes it from refreshes and searches, and keeps its documents (S10)',
    'test/e2e/sources.test.ts > includeInContext: false restricts it to searches of the user (S10)',
    'src/engine/reading/configured/source-policies.test.ts > excludes hidden sources in the query of the store',
    'test/e2e/sources.test.ts > fields keeps other fields out of the store (S10)',
  ],
  S11: [
    'test/web/sources.test.ts > shows what would run, approves exactly that, tries it, and reads it',
    'test/e2e/sources.test.ts > counts the searches that found it, not its results (S11)',
    'test/e2e/sources.test.ts > reports everything as JSON (S11)',
    'src/engine/reading/sources.test.ts > that fails keeps the last documents, is retried after increasing delays, and recovers',
    'src/engine/reading/exclusions.test.ts > are listed with their rules, a page at a time, and a link that leads out with its problem',
    'test/e2e/source-surfaces.test.ts > are listed for readers, without commands, folders and fingerprints (S11)',
    'test/e2e/source-surfaces.test.ts > are listed by a tool and a resource, without commands, folders and fingerprints (S11)',
  ],
  S12: [
    'test/faults/source-processes.test.ts > refresh them one at a time, and as often as a single process (S12)',
    'test/faults/source-processes.test.ts > continue within two lease times after one is killed during a refresh, which commits nothing',
  ],
  S13: [
    'src/sources/command/fetch-documents.test.ts > reports each invalid document with index and id, and returns the valid ones (S13)',
    'src/sources/command/run/run-command.test.ts > uses the given folder and environment, with an empty standard input',
    'src/sources/command/run/run-command.test.ts > stops a command that prints more than 10 MB',
    'src/sources/command/run/run-command.test.ts > ends a command at its timeout, with all its processes',
    'test/faults/source-signals.test.ts > ends its commands and all their processes at each signal, and exits with 0',
  ],
  S14: [
    'src/engine/reading/configured/registered-sources.test.ts > has documents that are found, updated and removed, without an approval (S14)',
    'test/e2e/sources-docs.test.ts > has a program with a source of its own, which works',
  ],
  S15: [
    'test/openclaw/remodel.test.ts > a turn about the kitchen remodel gets the note, and the todo that no word of the message names',
    'src/search/related.test.ts > is related to the note in a %s life, however the sentence is worded, and no other todo is',
  ],
  F1: [
    'test/e2e/stored-facts.test.ts > is stored in user_facts for 90 days by default, and a new value replaces it',
    'test/e2e/rest-facts.test.ts > refuses invalid facts with 400 invalid_input, and stores nothing (F1)',
  ],
  F2: [
    'test/e2e/stored-facts.test.ts > is stored in user_facts for 90 days by default, and a new value replaces it',
    'test/e2e/stored-facts.test.ts > has a lifetime between an hour and 365 days',
    'src/engine/shared/retention.test.ts > is in no result and no suggestion from the millisecond at which it expires',
  ],
  F3: [
    'test/e2e/stored-facts.test.ts > cannot be stored in a category of the history',
    'test/e2e/tool-history.test.ts > is recorded once over REST and MCP, and returned by memory_corpus, whose own runs are not (F3, F7)',
    'test/e2e/tool-history.test.ts > is recorded without texts and secrets in any file of the store',
  ],
  F4: [
    'test/e2e/stored-facts.test.ts > can be forgotten by key, by prefix or by category, and restored',
    'test/e2e/stored-facts.test.ts > is listed in pages, and by tag',
    'src/engine/facts/facts.test.ts > come page by page, also after a fact that was forgotten meanwhile',
  ],
  F5: ['test/e2e/mcp-stdio.test.ts > has the startup text and the categories of facts as resources (F5)'],
  F6: [
    'test/property/isolation.test.ts > get the same results as if each were alone, from every operation on every surface (F6)',
    'test/contract/store-isolation.ts > cannot be reached from another namespace by an id, a key or a chain',
    'test/e2e/rest-identity.test.ts > gives access to the memory of the token’s subject and to no other',
  ],
  F7: [
    'src/surfaces/openclaw/engine/engine.test.ts > finds runs of tools after everything else, and reads them (F7)',
    'src/engine/facts/corpus.test.ts > has facts before runs, also where a run is newer or matches better',
  ],
  F9: [
    'test/e2e/deploy-files.test.ts > starts everything with Ollama, unless it is left out, and says what a change needs',
    'test/e2e/deploy-files.test.ts > limit every container, and give only Loci an address, which is this machine',
    'test/postgres/deploy.test.ts > has everything when it starts again, and finds by meaning when the model answers',
  ],
  F10: [
    'src/engine/inbox/inbox.test.ts > has what agents changed, by agent and session, and nothing of the operator',
    'src/engine/inbox/inbox.test.ts > loses the changes that are kept, and no others',
    'src/engine/inbox/inbox.test.ts > a session deletes, restores and changes back, and is taken back as a whole',
    'src/engine/inbox/inbox.test.ts > leaves what the operator changed since, and says so',
    'src/engine/inbox/undo.property.test.ts > undoing all of a session leaves every record as its owner left it, and taking that back as the agent did',
    'test/faults/inbox-killed.test.ts > an undo of a session that is killed has undone each record completely or not at all, and can be continued',
    'test/e2e/inbox.test.ts > `loci inbox` shows what agents changed, and keeps and undoes it',
    'test/e2e/inbox.test.ts > has the session that each surface names',
    'test/web/inbox.test.ts > shows by session what agents did, with diffs, and hostile texts as text',
    'test/web/inbox.test.ts > undoes a change and takes that back in place, with the count in the title and the navigation',
  ],
  G1: [
    'src/engine/graph/graph.test.ts > stay in a project, unless a request and the settings let a type of edge lead out of it',
    'src/engine/graph/graph.test.ts > say the reason and the place of an edge into another project, and that it leads there',
    'test/contract/store-graph.ts > leads to another project only by types that may',
  ],
  G2: [
    'src/engine/graph/graph.test.ts > is the same, byte for byte, whatever the order in which the notes were indexed, and after a rebuild',
    'src/engine/graph/graph.test.ts > has links, embeds, statements, tasks, projects and types, each with its reason and place',
    'test/arch/docs.test.ts > docs/graph.schema.json is what `node scripts/graph-schema.ts` writes',
    'src/engine/graph/masked-answers.test.ts > are masked in an export',
    'test/e2e/graph.test.ts > is exported, and two exports are compared',
  ],
  G3: [
    'src/engine/packs/node-texts.test.ts > has candidates and suggestions, each with its node and the reason for it',
    'test/e2e/node-texts.test.ts > prints 800 to 1,000 tokens about a query, whose ids `loci graph pack` takes',
    'src/pack/node-pack.property.test.ts > never exceed their budget, stay in their fence, and can be made again from their receipts',
  ],
  G4: [
    'src/engine/packs/node-texts.test.ts > has a summary of each with its citation and why it is there, and no raw text in safe mode',
    'src/engine/packs/node-texts.test.ts > has snippets only if they are asked for, without credentials in any mode',
    'src/pack/node-pack.property.test.ts > have 3,000 tokens of snippets at most, and 300 of one',
    'test/e2e/node-texts.test.ts > says why there is no text, which nodes are unknown, and what is out of range',
  ],
  G5: [
    'src/engine/packs/graph-lane.test.ts > has what the best results link to, and says how it came',
    'test/e2e/packs.test.ts > adds what the graph leads to, if it is asked to, and takes --graph and --no-graph for it',
    'src/pack/pack.property.test.ts > never exceeds its budget, is the same each time, and can be made again from its receipt',
  ],
  G6: [
    'src/engine/packs/graph-lane.test.ts > has a receipt with the path of each expansion, in ids, lines and hashes, without a title',
    'src/engine/packs/receipts.test.ts > is listed with the record that was considered for it, and what became of that',
    'src/engine/packs/receipts.test.ts > is listed with who was given it, what it names first, and the query that a mark has',
    'src/engine/packs/memory-pack.test.ts > has a receipt from which every byte of a record in it can be made again, without a text',
  ],
  G7: [
    'test/faults/pack-graph.test.ts > %s, are as without it',
    'test/faults/pack-graph.test.ts > the graph is slower than its deadline, are as without it, and the pack does not wait',
    'src/engine/packs/graph-lane.test.ts > the pack is the baseline, byte for byte, and the receipt says so',
    'src/engine/packs/graph-lane.test.ts > stays in the project of a result, unless the request and the settings let it lead out',
  ],
  G8: [
    'test/web/graph.test.ts > draws the graph, and has the same data as a table, sorted and in pages',
    'test/web/graph.test.ts > is filtered by title, type, project and tag, which the address keeps',
    'test/web/graph.test.ts > shows where a node and its connections come from, what is near it, and how it leads to another',
    'test/web/graph.test.ts > shows the path that led to a record of a receipt',
    'test/web/graph.test.ts > compares two exports in colour and shape, and says what is wrong with a file',
    'test/web/graph-file.test.ts > opens from disk without any request, and no title breaks out of it',
    'src/engine/graph-map/graph-map.test.ts > has the same positions for the same notes, whatever the order in which they were indexed, and after a rebuild',
    'src/engine/graph-map/graph-map.test.ts > has nothing of another namespace or of what is hidden from an agent',
    'src/graph/layout/layout.test.ts > is the same for the same graph, and has a finite place of its own for each node',
    'src/graph/layout/layout.test.ts > moves little after a small change, and places a new node beside its neighbour',
  ],
  G9: [
    'src/engine/health/check-graph.test.ts > finds %s, which a plain reindex repairs',
    'src/engine/graph/concepts.test.ts > list names of two notes as conflicts, which a change of a note settles and its undo restores',
    'src/graph/concepts/concepts.test.ts > are notes with their names, and phrases that two records share; a name that two notes claim is a conflict',
    'test/property/concepts.test.ts > are the same whether they followed the changes or were derived at once',
  ],
  G10: [
    'eval/marks.test.ts > scores the present ranking on the marks of a store, and of its export, without changing the store',
    'test/e2e/receipts.test.ts > is marked, keeps its marks, and is exported with them',
  ],
  G11: [
    'test/contract/store-graph.ts > has for each record what was contributed last, in each lane',
    'test/property/links.test.ts > links are equal to those of the oracle, the graph to one derived at once, and the change feed leads to the live records',
    'test/property/store.test.ts > returns the same results as the oracle after any history',
  ],
  G12: [
    'test/e2e/timeline.test.ts > has the records around one in the order of their own dates, with citations that get reads',
    'test/e2e/timeline.test.ts > stays within its budget of tokens, nearest records first, over MCP too',
    'test/e2e/timeline.test.ts > is around a day or now, and limited to a project or a tag',
    'test/contract/store-listing.ts > has the records before and after a record, nearest first, ties by id',
    'test/contract/store-filters.ts > is sorted by %s, descending: %s, on every page',
    'test/contract/store-filters.ts > has the live records of each source in each span of a histogram',
    'src/engine/browse/browse.test.ts > count by time and source, within the range alone',
    'test/web/records.test.ts > has a time that can be chosen by dragging or in fields, and keeps it in the address',
  ],
  G13: [
    'eval/answers/systems.test.ts > names the statements that each text lacks, and counts its tokens',
    'eval/answers/systems.test.ts > notices which texts say that there is no answer',
  ],
  A1: [
    'test/e2e/library.test.ts > docs/adapters.md',
    'test/e2e/recall.test.ts > fails if the adapter fails, which is not the same as to find nothing',
  ],
  A2: [
    'src/adapters/pools/pool-set.test.ts > never shows an agent a pool that names others, and narrows by ids and tiers',
    'test/e2e/recall.test.ts > finds with %j: %j',
    'test/e2e/recall.test.ts > warns of folders that are gone, and tells nothing of those that the agent does not see',
  ],
  A3: [
    'src/adapters/filesystem/pool-search.test.ts > %s: %s',
    'src/adapters/filesystem/pool-search.test.ts > in time in proportion to the number of files',
    'src/adapters/filesystem/pool-search.test.ts > a change that leaves size and time of modification',
    'src/adapters/filesystem/filesystem.test.ts > answers a search by meaning by words, and says so',
    'test/faults/pool-files.test.ts > what may not be read is named in the status, and the rest is found',
  ],
  A4: [
    'src/adapters/lancedb/package.test.ts > a missing LanceDB is replaced by filesystem, with one warning, and the status says so',
    'test/lancedb/table.test.ts > is read again after a restart, without another write for notes that are the same',
    'test/lancedb/processes.test.ts > go on where one was killed that indexed, with each note once',
    'test/lancedb/vectors.test.ts > find by meaning, and no note that is the same is embedded again',
  ],
  A5: [
    'src/adapters/loci/loci.test.ts > the owner’s memory and the pools of the same store find nothing of each other',
    'src/adapters/loci/embedding.test.ts > notes are found by meaning, by words, or by both',
    'test/postgres/adapters.test.ts > recall is empty while the server refuses connections, and says so',
  ],
  A6: [
    'test/adapters/contract/suite.test.ts > fails an adapter that breaks the rule "%s"',
    'src/adapters/pool-adapter.test.ts > ends at the deadline, and tells the backend and the status',
    'src/adapters/pool-adapter.test.ts > is empty where the backend fails, and warns once',
    'test/e2e/installed.test.ts > has adapters that need no network, and the contract suite, with types',
  ],
};
