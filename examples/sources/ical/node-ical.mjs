/**
 * The package node-ical, which expands recurrence rules and has a table of the Windows names of time zones; `null` until
 * `loadNodeIcal` has loaded it.
 */
export let ical = null;

/** Throws an error that says how to install the package when it is missing. */
export async function loadNodeIcal() {
  try {
    ical = (await import('node-ical')).default;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'the package node-ical is missing: run `npm install node-ical` in the folder of ical.mjs',
      {
        cause: error,
      },
    );
  }
}
