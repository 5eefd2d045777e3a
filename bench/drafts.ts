import { shortHash, sha256, uuidv7 } from '../src/core/ids.ts';
import type { RecordWrite } from '../src/store/model.ts';
import type { Document } from './corpus.ts';

export const CHUNKING = 'bench';

/** A new record of one passage. */
export function draftOf(document: Document): RecordWrite {
  return {
    id: null,
    draft: {
      uuid: uuidv7(document.createdAt),
      project: '',
      origin: 'memory',
      trust: 'agent',
      source: 'bench',
      key: null,
      identity: null,
      category: 'note',
      recordType: 'note',
      title: document.title,
      tags: document.tags,
      content: document.body,
      metadata: {},
      createdAt: document.createdAt,
      updatedAt: document.createdAt,
      expiresAt: null,
      contentHash: sha256(document.body),
      revision: null,
    },
    passages: [
      {
        ordinal: 0,
        headings: [],
        text: document.body,
        context: null,
        startLine: 1,
        endLine: 1,
        hash: passageHash(document),
      },
    ],
  };
}

export function passageHash({ title, body }: Document): string {
  return shortHash(`${title}\n${body}`);
}
