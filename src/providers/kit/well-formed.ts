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
