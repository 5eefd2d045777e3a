/** The id of a block in Obsidian, at the end of a line: `^summary`. */
export const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]{1,100})\s*$/;
