/** What a model gets of the output of an operation: the same as text and as structured content, and nothing twice. */
export interface ModelResult {
  /** Sentences of Loci about the result. */
  readonly summary?: readonly string[];
  /** The structured content, besides the summary. Fields that are `undefined` or `null` are left out. */
  readonly fields: object;
  /** `fields` as text, empty if the summary says it all; JSON unless given. */
  readonly text?: string;
  /**
   * `loci`: others wrote nothing in it. `others`: it is data, so that the text is fenced and both forms say so. `fenced`: the same,
   * and the text is fenced already and says so itself.
   */
  readonly writtenBy: 'loci' | 'others' | 'fenced';
}

/** How MCP formats the output of an operation for a model. */
export interface OperationResult {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the output of the operation of this name
  readonly resultOf: (output: any) => ModelResult;
  /** The types of the fields in JSON Schema; those of the operation's output unless given. */
  readonly types?: Readonly<Record<string, string>>;
}
