const MAX_DEPTH = 8;
/** Longer texts are cut. The limits of documents are lower. */
const MAX_TEXT = 20_000;

/**
 * The text of a file without its folds, which may be within a character (RFC 5545, section 3.1).
 * @param {Uint8Array} bytes
 */
export function unfoldedText(bytes) {
  const folded = Buffer.from(bytes).toString('latin1');
  const unfolded = folded.replace(/(?:\r\n|\r|\n)[ \t]/g, '');
  return new TextDecoder().decode(Buffer.from(unfolded, 'latin1'));
}

/**
 * The components of an iCalendar file (RFC 5545, section 3.4) as a tree of `{ name, properties, children }`;
 * `properties` is a Map from a name to its list of `{ value, parameters }`. Values are not unescaped.
 * Throws if the text is no iCalendar file. A component without an end is left out and reported to `warn`.
 * @param {string} text without folds
 * @param {(message: string) => void} warn
 */
export function parseComponents(text, warn) {
  const root = component('');
  const open = [root];
  for (const line of text.split(/[\r\n]+/)) {
    const property = parseProperty(line);
    if (property === null) continue;
    const { name, value } = property;
    if (name === 'BEGIN') {
      if (open.length > MAX_DEPTH) throw new Error('components nested too deeply');
      open.push(component(value.trim().toUpperCase()));
    } else if (name === 'END') {
      if (open.length > 1) {
        const ended = open.pop();
        open.at(-1).children.push(ended);
      }
    } else {
      const { properties } = open.at(-1);
      const same = properties.get(name);
      if (same === undefined) properties.set(name, [property]);
      else same.push(property);
    }
  }
  if (open.length > 1) warn(`ends within ${open.at(-1).name}, which is left out`);
  // The complete components of a truncated calendar are used.
  while (open.length > 1) {
    const unended = open.pop();
    if (unended.name === 'VCALENDAR') root.children.push(unended);
  }
  const calendars = root.children.filter(({ name }) => name === 'VCALENDAR');
  if (calendars.length === 0) throw new Error('not an iCalendar file');
  return calendars;
}

function component(name) {
  return { name, properties: new Map(), children: [] };
}

function parseProperty(line) {
  const name = /^[A-Za-z0-9-]+/.exec(line)?.[0];
  if (name === undefined) return null;
  const parameters = {};
  const parameter = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";:])*)/y;
  parameter.lastIndex = name.length;
  let end = name.length;
  for (let found = parameter.exec(line); found !== null; found = parameter.exec(line)) {
    parameters[found[1].toUpperCase()] = found[2].replaceAll('"', '');
    end = parameter.lastIndex;
  }
  if (line[end] !== ':') return null;
  return { name: name.toUpperCase(), parameters, value: line.slice(end + 1) };
}

/** The first property of that name, or undefined. */
export function propertyOf(component, name) {
  return component.properties.get(name)?.[0];
}

/** The value of a text property without its escapes; null where it is missing or blank. */
export function textOf(component, name) {
  const value = propertyOf(component, name)?.value;
  return value === undefined ? null : unescapeText(value.slice(0, MAX_TEXT)).trim() || null;
}

/** The values of a property that holds lists of texts, such as CATEGORIES. */
export function textsOf(component, name) {
  return (component.properties.get(name) ?? [])
    .slice(0, 100)
    .flatMap(({ value }) => value.slice(0, MAX_TEXT).match(/(?:\\.|[^,\\])+/gs) ?? [])
    .map((value) => unescapeText(value).trim())
    .filter((value) => value !== '');
}

function unescapeText(value) {
  return value.replace(/\\([\\;,nN])/g, (_, escaped) => (/n/i.test(escaped) ? '\n' : escaped));
}
