import { describe, expect, it } from 'vitest';
import { startLoci } from './loci-command.ts';
import { SourcesHome } from './sources-home.ts';

const DAY_MS = 86_400_000;

/** `2026-05-02`, some days after today in a time zone. */
function dayIn(timeZone: string, daysAhead = 0): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(Date.now() + daysAhead * DAY_MS);
}

/** The texts, origins and times of the results, of a process in that time zone. */
async function searchIn(timeZone: string, home: string, query: string): Promise<[string, string, string][]> {
  const { stdout } = await startLoci(['search', query, '--json', '--limit', '20'], {
    home,
    env: { TZ: timeZone },
  }).ended;
  const { results } = JSON.parse(stdout) as {
    results: { snippet: string; from: string; created_at: string }[];
  };
  return results.map((each) => [each.snippet, each.from.split(' · ')[1]!, each.created_at]);
}

describe('tasks that are due on a day', () => {
  it('are due on that day in every time zone, and not overdue before it is over', async () => {
    const home = new SourcesHome({
      sources: [
        {
          ...{ id: 'tasks', name: 'Google Tasks', command: 'cat tasks.json' },
          map: { text: '{{title}}', timestamp: '{{due}}', completed: '{{status}}' },
        },
      ],
    });
    const days = [-2, -1, 0, 1, 2].map((ahead) => dayIn('UTC', ahead));
    home.writeOutput(
      days.map((day, id) => ({
        id,
        title: `Task ${day}`,
        due: `${day}T00:00:00.000Z`,
        status: 'needsAction',
      })),
    );
    await home.approveAndRefresh('tasks');
    for (const zone of ['Etc/GMT+12', 'Pacific/Kiritimati']) {
      const today = dayIn(zone);
      const overdue = days.filter((day) => day < today).map((day) => `Task ${day}`);
      const found = await searchIn(zone, home.path, 'overdue');
      expect(found.map(([text]) => text).sort(), zone).toEqual(overdue);
      expect(await searchIn(zone, home.path, 'todos due today'), zone).toEqual([
        [`Task ${today}`, 'due today', `${today}T00:00:00.000Z`],
      ]);
    }
  });
});
