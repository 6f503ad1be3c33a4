/**
 * A value as JSON, with U+FFFD in the place of every half of a surrogate pair. `JSON.stringify` writes a half as an escape, at which strict parsers
 * answer 400; then no conversation that holds one could go on. Half a character comes from a text that was cut by length.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value)
  // Whole pairs are written as they are, so that other texts are looked through once and no more.
  return text.includes('\\ud') ? JSON.stringify(value, mended) : text
}

function mended(_: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || Object.keys(value).every((name) => name.isWellFormed()))
    return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toWellFormed(), one]))
}
