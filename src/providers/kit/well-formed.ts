/** `JSON.stringify` writes a half as an escape, and a whole pair as it is. An even number of backslashes before it is part of the text. */
const half = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * A value as JSON, with U+FFFD in the place of every half of a surrogate pair, at whose escape strict parsers answer 400; then no conversation that
 * holds one could go on. Half a character comes from a text that was cut by length.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(half, '$1\ufffd') : text
}

/** The escapes of a pair, or that of a half alone. */
const escapes = /(?<!\\)((?:\\\\)*)(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2})/gi
const halfLength = '\\ud83d'.length

/**
 * The arguments of a call, which are JSON in a text, with U+FFFD in the place of every escape of half a character: the vendor reads that text as strictly as
 * the rest. Escapes of whole pairs stay as they are.
 */
export const wellFormedArguments = (text: string): string =>
  /\\u[dD][89a-fA-F]/.test(text)
    ? text.replace(escapes, (whole, before: string, found: string) =>
        found.length > halfLength ? whole : `${before}\\ufffd`,
      )
    : text
