import type { IncomingMessage } from 'node:http';
import type { Hono } from 'hono';
import { z } from 'zod';
import { packageVersion } from '../../../core/runtime.ts';
import { LociError } from '../../../core/errors.ts';
import type { PageSession } from '../../../engine/access/sessions.ts';
import { isoTime } from '../../../engine/fields/times.ts';
import { parseInput } from '../../../operations/shared/input.ts';
import type { Env } from '../http/env.ts';
import { isFromThisMachine } from '../access/hosts.ts';
import { type PageSessions, sessionCookie } from '../access/page-sessions.ts';
import { countRequest, type RateLimit } from '../access/rate-limit.ts';
import { jsonBody, readBody } from '../http/request-input.ts';
import { UI, type WebFiles } from './files.ts';

const MAX_CODE_BYTES = 1000;
const codeInput = z.strictObject({ code: z.string().describe('The code of the link.') });

interface PageRoutes {
  readonly files: WebFiles;
  readonly sessions: PageSessions;
  readonly limit: RateLimit;
  /** What `/` answers to programs. */
  readonly text: string;
}

/** The web page and its sessions. Only what describes or ends a session needs one. */
export function addPageRoutes(app: Hono<Env>, { files, sessions, limit, text }: PageRoutes): void {
  app.get('/', (c) => {
    const isBrowser = files.isBuilt && (c.req.header('accept') ?? '').includes('text/html');
    c.env.outgoing.setHeader('Vary', 'Accept');
    return isBrowser ? c.redirect(UI) : c.text(text);
  });
  app.get('/ui', (c) => c.redirect(UI));
  app.post('/ui/session', async (c) => {
    const { incoming, outgoing } = c.env;
    const input = parseInput(
      { input: codeInput },
      jsonBody(incoming, await readBody(incoming, MAX_CODE_BYTES)),
    );
    const opened = await sessions.open(input.code).catch((error: unknown) => {
      if (error instanceof LociError && error.code === 'unauthorized')
        countRequest(outgoing, limit, `address ${incoming.socket.remoteAddress ?? ''}`);
      throw error;
    });
    const { session, secret, csrf } = opened;
    outgoing.setHeader('Set-Cookie', sessionCookie(incoming, secret));
    return c.json({ csrf, ...describeSession(session, incoming) });
  });
  app.get('/ui/session', (c) => c.json(describeSession(c.get('identity').session!, c.env.incoming)));
  app.delete('/ui/session', async (c) => {
    await sessions.end(c.get('identity'));
    c.env.outgoing.setHeader('Set-Cookie', sessionCookie(c.env.incoming, null));
    return c.body(null, 204);
  });
  app.get(`${UI}*`, async (c) => {
    const file = await files.read(c.req.path, c.req.header('accept-encoding') ?? '');
    if (file !== null) return c.body(file.body, 200, file.headers);
    if (files.isBuilt)
      throw new LociError('not_found', 'the page has no such file', {
        hint: 'Load the page again; after an update of Loci, restart the server first.',
      });
    throw new LociError('not_found', 'this installation has no web page: the folder dist/web is missing', {
      hint: 'In a clone of the repository, `npm run build` makes it.',
    });
  });
}

function describeSession({ id, actor, namespace, expiresAt }: PageSession, request: IncomingMessage) {
  return {
    ...{ id, namespace, actor, expires_at: isoTime(expiresAt), version: packageVersion() },
    same_machine: isFromThisMachine(request),
  };
}
