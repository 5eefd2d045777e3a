/** What is known about models: the length of their vectors, how much they read, and what a text must begin with. */

export interface Prefixes {
  readonly query: string;
  readonly passage: string;
}

export interface KnownModel {
  /** Of its full vectors. */
  readonly dimensions: number;
  /** The longest text, in tokens of the model. */
  readonly maxTokens: number;
  readonly prefixes?: Prefixes;
  /** Whether the beginning of a vector is a vector too, so that a provider can be asked for fewer dimensions. */
  readonly canShorten?: true;
  /** The only language that it knows, as an ISO 639 code. */
  readonly language?: 'en';
}

// Prefixes are exactly those of the model cards, blanks included.
const SEARCHING = { query: 'Represent this sentence for searching relevant passages: ', passage: '' };
const NOMIC = { query: 'search_query: ', passage: 'search_document: ' };
const E5 = { query: 'query: ', passage: 'passage: ' };
const TASK = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\n';
const E5_INSTRUCT = { query: `${TASK}Query: `, passage: '' };
const QWEN = { query: `${TASK}Query:`, passage: '' };
const ARCTIC = { query: 'query: ', passage: '' };
const GEMMA = { query: 'task: search result | query: ', passage: 'title: none | text: ' };

/** The first family whose name matches, without organisation and in lower case, holds; tags such as `:latest` are at its end. */
const FAMILIES: readonly (KnownModel & { readonly name: RegExp })[] = [
  // huggingface.co/nomic-ai/nomic-embed-text-v2-moe
  { name: /^nomic-embed-text-v2/, dimensions: 768, maxTokens: 512, prefixes: NOMIC, canShorten: true },
  // huggingface.co/nomic-ai/nomic-embed-text-v1.5; Ollama runs it with a context of 2048 tokens.
  {
    name: /^nomic-embed-text/,
    dimensions: 768,
    maxTokens: 2048,
    prefixes: NOMIC,
    canShorten: true,
    language: 'en',
  },
  // huggingface.co/intfloat/multilingual-e5-large-instruct
  { name: /^multilingual-e5-large-instruct/, dimensions: 1024, maxTokens: 512, prefixes: E5_INSTRUCT },
  // huggingface.co/intfloat/multilingual-e5-small
  { name: /^multilingual-e5-small/, dimensions: 384, maxTokens: 512, prefixes: E5 },
  // huggingface.co/intfloat/multilingual-e5-base
  { name: /^multilingual-e5-base/, dimensions: 768, maxTokens: 512, prefixes: E5 },
  // huggingface.co/intfloat/multilingual-e5-large
  { name: /^multilingual-e5-large/, dimensions: 1024, maxTokens: 512, prefixes: E5 },
  // huggingface.co/intfloat/e5-small-v2
  { name: /^e5-small/, dimensions: 384, maxTokens: 512, prefixes: E5, language: 'en' },
  // huggingface.co/intfloat/e5-base-v2
  { name: /^e5-base/, dimensions: 768, maxTokens: 512, prefixes: E5, language: 'en' },
  // huggingface.co/intfloat/e5-large-v2
  { name: /^e5-large/, dimensions: 1024, maxTokens: 512, prefixes: E5, language: 'en' },
  // huggingface.co/BAAI/bge-m3
  { name: /^bge-m3/, dimensions: 1024, maxTokens: 8192 },
  // huggingface.co/BAAI/bge-small-en-v1.5
  { name: /^bge-small-en/, dimensions: 384, maxTokens: 512, prefixes: SEARCHING, language: 'en' },
  // huggingface.co/BAAI/bge-base-en-v1.5
  { name: /^bge-base-en/, dimensions: 768, maxTokens: 512, prefixes: SEARCHING, language: 'en' },
  // huggingface.co/BAAI/bge-large-en-v1.5
  {
    name: /^bge-large-en|^bge-large(:|$)/,
    dimensions: 1024,
    maxTokens: 512,
    prefixes: SEARCHING,
    language: 'en',
  },
  // huggingface.co/mixedbread-ai/mxbai-embed-large-v1
  {
    name: /^mxbai-embed-large/,
    dimensions: 1024,
    maxTokens: 512,
    prefixes: SEARCHING,
    canShorten: true,
    language: 'en',
  },
  // huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0
  {
    name: /^snowflake-arctic-embed2|^snowflake-arctic-embed-l-v2/,
    dimensions: 1024,
    maxTokens: 8192,
    prefixes: ARCTIC,
    canShorten: true,
  },
  // huggingface.co/google/embeddinggemma-300m
  { name: /^embeddinggemma/, dimensions: 768, maxTokens: 2048, prefixes: GEMMA, canShorten: true },
  // huggingface.co/Qwen/Qwen3-Embedding-0.6B
  { name: /^qwen3-embedding[-:]0\.6b/, dimensions: 1024, maxTokens: 32_768, prefixes: QWEN },
  // huggingface.co/Qwen/Qwen3-Embedding-4B
  { name: /^qwen3-embedding[-:]4b/, dimensions: 2560, maxTokens: 32_768, prefixes: QWEN },
  // huggingface.co/sentence-transformers/all-MiniLM-L6-v2
  { name: /^all-minilm(-l6-v2|:latest|:22m|$)/, dimensions: 384, maxTokens: 256, language: 'en' },
  // https://platform.openai.com/docs/guides/embeddings
  { name: /^text-embedding-3-small/, dimensions: 1536, maxTokens: 8191, canShorten: true },
  { name: /^text-embedding-3-large/, dimensions: 3072, maxTokens: 8191, canShorten: true },
  { name: /^text-embedding-ada-002/, dimensions: 1536, maxTokens: 8191 },
  // https://docs.voyageai.com/docs/embeddings
  { name: /^voyage-(3\.5(-lite)?|3-large|code-3)$/, dimensions: 1024, maxTokens: 32_000, canShorten: true },
  { name: /^voyage-3-lite$/, dimensions: 512, maxTokens: 32_000 },
  { name: /^voyage-(3|finance-2)$/, dimensions: 1024, maxTokens: 32_000 },
  // https://ai.google.dev/gemini-api/docs/embeddings
  { name: /^gemini-embedding-001/, dimensions: 3072, maxTokens: 2048, canShorten: true },
];

/** What is known about a model; `undefined` for an unknown one. `Organisation/` and `models/` before its name do not count. */
export function knownModel(name: string): KnownModel | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  return FAMILIES.find((family) => family.name.test(base));
}
