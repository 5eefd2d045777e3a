const formats = new Map();

/** `Wed 25 Nov 2026` in the given time zone. Days are written out, because people search for them like this. */
export function dayText(time, timeZone) {
  const { weekday, day, month, year } = partsOf(time, timeZone);
  return `${weekday} ${day} ${month} ${year}`;
}

/** `09:30` in the given time zone. */
export function clockText(time, timeZone) {
  const { hour, minute } = partsOf(time, timeZone);
  return `${hour}:${minute}`;
}

function partsOf(time, timeZone) {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
}
