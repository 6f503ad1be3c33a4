// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are patterns as they are written.
/** A regular expression that the check may not or cannot judge, and why it is harmless all the same. */
export interface Exception {
  file: string
  /** As it is written: the source of a literal, or the whole call of `RegExp`. */
  pattern: string
  reason: string
}

/** Reviewed by people: each reason names what bounds the text, or of what a pattern that is no literal is made. */
export const exceptions: readonly Exception[] = [
  {
    file: 'src/work/agents/tools/contact.ts',
    pattern: "new RegExp(`^(?:${label}\\\\.)+\\\\p{L}[\\\\p{L}\\\\p{N}-]*[\\\\p{L}\\\\p{N}]$`, 'u')",
    reason: 'made of constants; an address has at most 254 characters, a label 63',
  },
  {
    file: 'src/cloud/databases/external/statements.ts',
    pattern:
      "new RegExp( [ `create role (?:${sharedRoles.join('|')})\\\\b`, 'create role backup\\\\b', 'grant pg_use_reserved_connections to backup\\\\b', 'alter role kherad\\\\b', 'revoke all on database template1\\\\b', ] .map((begin) => `^${begin}`) .join('|'), )",
    reason: 'alternatives of constant words, over our own SQL',
  },
  {
    file: 'src/cloud/databases/external/statements.ts',
    pattern: "new RegExp(`\\\\b(${loginRoles.join('|')})\\\\b`, 'g')",
    reason: 'alternatives of constant words, over our own SQL',
  },
  {
    file: 'src/core/inference/prior-context.ts',
    pattern: "new RegExp(literally(host), 'gi')",
    reason: 'only letters that stand for themselves: a search for one text',
  },
  {
    file: 'src/core/retrieval/normalise.ts',
    pattern: "new RegExp(`[${Object.keys(letters).join('')}]`, 'g')",
    reason: 'one character of a constant set',
  },
  {
    file: 'src/core/tools/domains.ts',
    pattern: 'new RegExp(`^${pattern}(?:/|$)`)',
    reason: 'held at the start, literal but for one `[^/]*`, over one address',
  },
  {
    file: 'src/core/tools/prune-html.ts',
    pattern: "new RegExp(`</${name}[^<>]*>`, 'gi')",
    reason: 'a name of letters and a run that ends at the next tag',
  },
  {
    file: 'src/platform/http/unmatched.ts',
    pattern:
      "new RegExp( `^${route.path.replace(/[.]/g, '\\\\.').replace(/\\{[^{}]+\\}/g, route.openEnded ? '(.+)' : '([^/]+)')}/?$`, )",
    reason: 'made of our own routes, held at both ends, with slashes between its runs',
  },
  {
    file: 'src/platform/config/read-schema.ts',
    pattern: 'new RegExp(pattern)',
    reason: "constants of the sections' schemas, over what the operator has written",
  },
  {
    file: 'src/sandbox/arithmetic.ts',
    pattern: '-?\\(*-?\\d+(?:\\.\\d+)?(?:\\s*[-+*/×÷−^]\\s*\\(*-?\\d+(?:\\.\\d+)?\\)*)+',
    reason: 'over at most 2,000 characters',
  },
  {
    file: 'src/sandbox/pattern-match.ts',
    pattern: "new RegExp(pattern, 'u')",
    reason: 'patterns of callers: only such as cannot take long come here, others run under a watch',
  },
  {
    file: 'src/sandbox/places.ts',
    pattern:
      "new RegExp( `(?<![\\\\p{L}\\\\u200c])(?:${cities .flat() .toSorted((left, right) => right.length - left.length) .join('|')})(?!\\\\p{L})`, 'giu', )",
    reason: 'alternatives of constant words',
  },
  {
    file: 'src/sandbox/phrases.ts',
    pattern:
      "new RegExp( `(?<![\\\\p{L}\\\\u200c])(?:${Object.keys(spelled).join('|')})(?![\\\\p{L}\\\\u200c])`, 'giu', )",
    reason: 'alternatives of constant words',
  },
]
