import { request, type RequestOptions } from 'node:http';
import { API } from './routes.ts';

/** How long whoever holds a place has to say who it is, in milliseconds. */
const PATIENCE = 1000;
/** Characters of its answer that are looked at: the description begins with the title. */
const ENOUGH = 200;

/** Where something listens: a host and a port, or a socket's path. */
export type TakenPlace = Pick<RequestOptions, 'host' | 'port' | 'socketPath'>;

/** Who holds a place that is taken, for a message: `Loci`, or `another program`. */
export async function holderOf(place: TakenPlace): Promise<string> {
  const description = await beginningOf(place, `${API}/openapi.json`);
  return /"openapi":"[\d.]+","info":\{"title":"Loci"/.test(description) ? 'Loci' : 'another program';
}

/** What it answers, as far as it comes in time; nothing of what is no HTTP server. */
function beginningOf({ host, ...place }: TakenPlace, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const done = (): void => {
      resolve(text);
      asked.destroy();
    };
    const asked = request({
      ...place,
      // Who listens at every address of a machine is asked at its own.
      ...(host !== undefined && host !== null && { host: EVERYWHERE[host] ?? host }),
      path,
      agent: false,
      headers: { host: 'localhost' },
      signal: AbortSignal.timeout(PATIENCE),
    });
    asked.on('error', done).on('response', (response) => {
      response.setEncoding('utf8').on('error', done).on('end', done);
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length >= ENOUGH) done();
      });
    });
    asked.end();
  });
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
