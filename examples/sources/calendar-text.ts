/** Writes iCalendar text: lines that end with CRLF and are folded after 70 characters. */
export function calendarText(
  components: readonly (readonly string[])[],
  head: readonly string[] = [],
): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...head, ...components.flat(), 'END:VCALENDAR'];
  return lines.map((line) => line.match(/.{1,70}/gsu)?.join('\r\n ') ?? '').join('\r\n');
}

/** `event('a', 'DTSTART:…', …)` with the UID and summary `a`. */
export function event(uid: string, ...lines: readonly string[]): string[] {
  return ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, ...lines, 'END:VEVENT'];
}

/** Like `event`, for a todo. */
export function todo(uid: string, ...lines: readonly string[]): string[] {
  return ['BEGIN:VTODO', `UID:${uid}`, `SUMMARY:${uid}`, ...lines, 'END:VTODO'];
}
