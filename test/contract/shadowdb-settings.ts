/** The settings of memory-shadowdb, as its documentation has them. */

export const STARTUP = `"startup": {
  "enabled": true,
  "mode": "digest",        // "always" | "first-run" | "digest"
  "maxChars": 6000,
  "maxCharsByModel": {     // model substring → budget
    "opus": 6000,
    "sonnet": 5000,
    "ministral-8b": 1500,
    "qwen3": 2000
  }
}
`;

export const REFERENCE = `// openclaw.json → plugins.entries.memory-shadowdb.config
{
  "table": "memories",
  "connectionString": "postgresql://...",

  "embedding": {
    "provider": "ollama",
    "model": "nomic-embed-text",
    "dimensions": 768
  },

  "search": {
    "vectorWeight": 0.7,
    "textWeight": 0.3,
    "recencyWeight": 0.15
  },

  "writes": {
    "enabled": true,
    "autoEmbed": true,
    "retention": {
      "purgeAfterDays": 60
    }
  },

  "startup": {
    "enabled": true,
    "mode": "digest",
    "maxChars": 6000,
    "maxCharsByModel": {
      "opus": 6000,
      "sonnet": 5000
    }
  }
}
`;
