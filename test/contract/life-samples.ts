/** Subjects of notes, what is written about each, and its todos. Nothing of it is about tiles. */
const SUBJECTS = `
The piano|needs tuning twice a year. The felt under the pedals is worn. Mr. Adler comes on Tuesdays|ring Mr. Adler|new bulb for the lamp at the piano
Grandmother|takes the blue pills in the evening. The pharmacy sorts them into weeks. She wants to see the sea once more|collect the pills for the week|ask about the stairlift
The allotment|has leeks and chard. The water butt leaks at the tap. The committee wants the hedge below two metres|cut the hedge by the path|return the seed catalogue
Norwegian|is at lesson nine. The words for weather are hard. The modal verbs come next|learn the words for weather|pay for the course
The bicycle|needs a new chain. The rear wheel rubs on the left side. The lights work again|order the chain|pump up both wheels
Choir|sings the Fauré requiem. Second tenors come in too early on page twelve. The concert is in the brick church|copy page twelve for the tenors|black shirt to the cleaner
Income tax|wants receipts for the train to Ghent. The deadline was moved. The accountant charges by the hour|scan the receipts for Ghent|write to the accountant
The cat|has a weak thyroid. Half a pellet goes into the fish paste. The vet weighs her in spring|pellets for the cat|book the vet for the weighing
Book club|reads the Portuguese novel. Nobody got past the first chapter. We meet at the wine bar|finish the first chapter|bring cheese to the wine bar
Balcony|has tomatoes. The north corner has no sun before eleven. The sparrows took the parsley|tie up the tomatoes|new soil for the balcony
School|has a parents evening. The maths teacher leaves in June. The heating fails on Mondays|sign the form for the trip|ask about the maths teacher
Running|aims at the half marathon. No speed work until the knee is quiet. The loop by the canal has nine kilometres|insoles for the running shoes|enter for the half marathon
The car|gets winter tyres. The garage keeps them until November. The wiper on the left smears|winter tyres on before the frost|wiper blades
Wine|is listed in the cellar book. The Riesling of the wet year is to be drunk first. Two bottles were corked|update the cellar book|return the corked bottles
Photography|happens in the darkroom. Fixer has to be changed after forty prints. The safelight flickers|mix new fixer|safelight bulb
The fence|on the east side leans. The posts are rotten at the ground. The neighbour pays half|pick up fence paint from Home Depot|measure the rotten posts
Curtains|for the bedroom will be linen. The fabric shop has grey and oat. The rail stays|return the fabric samples|hang the bedroom rail
The move of the office|is planned for May. The new rooms have no blinds. The archive goes to the basement|label the boxes of the archive|quote for blinds
Swimming|lessons are on Thursdays. The little one floats alone now. The bathing cap is lost|bathing cap, the small size|pay the pool for spring
The roof|lost slates in the storm. The insurance wants photographs. The ladder is too short|send the photographs to the insurance|borrow the long ladder`
  .trim()
  .split('\n')
  .map((line) => {
    const [title = '', matter = '', ...todos] = line.split('|');
    return { title, sentences: matter.split('. '), todos };
  });
const MONTHS = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(
  ',',
);

export interface Life {
  readonly notes: readonly { readonly title: string; readonly text: string }[];
  readonly todos: readonly string[];
}

/** The notes and todos of a person without a kitchen remodel: one note and two todos for each subject and month. */
export function lifeOf(months: number, subjects: number = SUBJECTS.length): Life {
  const entries = MONTHS.slice(0, months).flatMap((month, i) =>
    SUBJECTS.slice(-subjects).map((subject) => ({ ...subject, month, i })),
  );
  return {
    notes: entries.map(({ title, sentences, month, i }) => ({
      title: i === 0 ? title : `${title} in ${month}`,
      text: sentences.map((_, k) => `${title} ${sentences[(k + i) % sentences.length]!}.`).join(' '),
    })),
    todos: entries.flatMap(({ todos, month, i }) =>
      todos.map((todo) => (i === 0 ? todo : `${todo}, for ${month}`)),
    ),
  };
}
