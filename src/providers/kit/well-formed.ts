/**
 * A JSON text that `JSON.stringify` wrote, with U+FFFD in the place of every half of a surrogate pair. It writes a half as an escape (a pair as it is),
 * at which strict parsers answer 400; then no conversation that holds one could go on. Half a character comes from a text that was cut by length.
 */
export function wellFormedJson(text: string): string {
  if (!text.includes('\\ud')) return text
  // Escaped backslashes are set aside as a character that JSON has only as an escape, so that what is left before `ud` begins an escape.
  return text
    .replace(/\\\\/g, '\0')
    .replace(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd')
    .replace(/\0/g, '\\\\')
}
