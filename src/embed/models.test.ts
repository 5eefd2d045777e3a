import { describe, expect, it } from 'vitest';
import { knownModel } from './models.ts';

describe('knownModel', () => {
  it.each([
    ['nomic-embed-text', 768, 'search_query: ', 'search_document: '],
    ['nomic-embed-text:latest', 768, 'search_query: ', 'search_document: '],
    ['nomic-ai/nomic-embed-text-v1.5', 768, 'search_query: ', 'search_document: '],
    ['intfloat/multilingual-e5-base', 768, 'query: ', 'passage: '],
    ['intfloat/E5-Large-V2', 1024, 'query: ', 'passage: '],
    ['BAAI/bge-small-en-v1.5', 384, 'Represent this sentence for searching relevant passages: ', ''],
    ['bge-large', 1024, 'Represent this sentence for searching relevant passages: ', ''],
    ['mxbai-embed-large', 1024, 'Represent this sentence for searching relevant passages: ', ''],
    ['embeddinggemma:300m', 768, 'task: search result | query: ', 'title: none | text: '],
    ['text-embedding-3-large', 3072, undefined, undefined],
    ['models/gemini-embedding-001', 3072, undefined, undefined],
    ['bge-m3', 1024, undefined, undefined],
    ['all-minilm', 384, undefined, undefined],
    ['voyage-3.5-lite', 1024, undefined, undefined],
    ['voyage-3-lite', 512, undefined, undefined],
  ])('knows %s', (name, dimensions, query, passage) => {
    const known = knownModel(name);
    expect(known?.dimensions).toBe(dimensions);
    expect([known?.prefixes?.query, known?.prefixes?.passage]).toEqual([query, passage]);
  });

  it.each(['my-own-model', 'all-minilm:33m', 'voyage-9', 'qwen3-embedding', 'not-nomic-embed-text'])(
    'does not guess about %s',
    (name) => expect(knownModel(name)).toBeUndefined(),
  );
});
