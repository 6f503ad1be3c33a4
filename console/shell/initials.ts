/** The first letters of the first and the last word of a name, which the half-space keeps apart in Persian. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const first = [...(words[0] ?? '')][0] ?? ''
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : ''
  return last === '' ? first : `${first}\u200c${last}`
}
