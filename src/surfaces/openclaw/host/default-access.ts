// The plugin needs these before the engine is loaded, which parses the settings.

export const DEFAULT_NON_OWNER = { read: 'none', write: false, perSender: false, shared: [] } as const;
export const DEFAULT_SANDBOXED = { read: 'agent', write: false } as const;
