/**
 * The package node-ical, which follows recurrence rules and knows the names that Windows gives to time zones; `null` until
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
