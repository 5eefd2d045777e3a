import { describe, expect, it } from 'vitest';
import { isSession, isSubject } from './caller.ts';

describe('a subject', () => {
  it.each(['alice', 'Älice 世界', 'auth0|5f7c8ec7c33c6c004bbafe82', 'a@example.org', 'x'.repeat(128)])(
    'may be %j',
    (text) => expect(isSubject(text)).toBe(true),
  );

  it.each(['', ' ', ' alice', 'alice\n', 'al\u0000ice', 'al\u2028ice', '\ud800', 'x'.repeat(129)])(
    'is not %j',
    (text) => expect(isSubject(text)).toBe(false),
  );
});

describe('a session', () => {
  it.each(['agent:main:main', 'redo:1', 'x'.repeat(512)])('may be %j', (text) =>
    expect(isSession(text)).toBe(true),
  );

  it.each(['', 'a\n', 'undo:', 'undo:019ac0de-0000-7000-8000-000000000000', 'x'.repeat(513)])(
    'is not %j',
    (text) => expect(isSession(text)).toBe(false),
  );
});
