/** The words by which a query asks for documents of a type, and by which sources of these are recognised. */
export interface DocumentType {
  /** Words of a query that ask for these documents, folded; an identifier's parts have a space between. */
  readonly queryWords: readonly string[];
  /** Words that do so only in a query for a list: "worktop appointment confirmed?" may well mean a mail. */
  readonly listOnlyWords: readonly string[];
  /** A source with one of these words in its id or name delivers these documents. */
  readonly sourceNameWords: readonly string[];
  /** Record types of these documents, whatever their source is called. */
  readonly recordTypes: readonly string[];
  /** Whether a query without a date means the future ones only. */
  readonly futureOnly: boolean;
}

export const TASKS: DocumentType = {
  queryWords: words('todo todos task tasks chore chores errand errands overdue', 'to do', 'to dos'),
  listOnlyWords: [],
  sourceNameWords: words('todo todos task tasks taskwarrior reminder reminders chore chores'),
  recordTypes: ['task'],
  futureOnly: false,
};

export const EVENTS: DocumentType = {
  queryWords: words('calendar agenda'),
  listOnlyWords: words('appointment appointments event events meeting meetings'),
  sourceNameWords: words(
    'cal calendar calendars icalendar icalendars ical ics event events appointment appointments agenda',
  ),
  recordTypes: [],
  futureOnly: true,
};

const MAILS: DocumentType = {
  queryWords: words('mail mails email emails inbox', 'e mail', 'e mails'),
  listOnlyWords: [],
  sourceNameWords: words('mail mails email emails inbox maildir gmail'),
  recordTypes: [],
  futureOnly: false,
};

const COMMITS: DocumentType = {
  queryWords: words('commit commits'),
  listOnlyWords: [],
  sourceNameWords: words('git commit commits'),
  recordTypes: [],
  futureOnly: false,
};

export const DOCUMENT_TYPES: readonly DocumentType[] = [TASKS, EVENTS, MAILS, COMMITS];

/** Phrases that ask for tasks and events: "what do I have to do this week". */
export const AGENDA_PHRASES: readonly string[] = words(
  'due planned scheduled',
  'to do',
  'coming up',
  'going on',
  'on my plate',
);
export const OVERDUE_PHRASES: readonly string[] = ['overdue'];
export const OPEN_PHRASES: readonly string[] = words(
  'open pending unfinished outstanding remaining overdue undone',
  'not done',
);
export const DONE_PHRASES: readonly string[] = words('done completed finished');
export const FUTURE_PHRASES: readonly string[] = words('upcoming coming next');
/** A query with one of these asks for an explanation, not for a list: "how do I keep todos". */
export const QUESTION_PHRASES: readonly string[] = words('how why');

/** Words that are not part of the topic of a query. */
export const FILLER_WORDS: readonly string[] = [
  ...words(
    'open pending done undone completed finished unfinished outstanding remaining current upcoming coming',
  ),
  ...words('next new latest recent due planned scheduled going plate need want got left still supposed'),
  ...words('list lists show give find item items thing things everything anything something'),
];

/** The words of a list separated by spaces, and phrases of several words. */
function words(list: string, ...phrases: string[]): string[] {
  return [...list.split(' '), ...phrases];
}
