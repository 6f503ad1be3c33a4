/** Names of browsers and systems as people know them, by what stands in a user agent; the first that fits is right. */
const browsers: readonly [mark: string, name: string][] = [
  ['Edg', 'Microsoft Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]
const systems: readonly [mark: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
]

const maxReadLength = 400

/** The browser and the system of a user agent, such as `Firefox, Windows`; undefined where it names neither. A text that is no user agent is kept. */
export function deviceName(userAgent: string): string | undefined {
  const read = userAgent.slice(0, maxReadLength)
  const found = [browsers, systems].flatMap((known) => known.find(([mark]) => read.includes(mark))?.[1] ?? [])
  if (found.length > 0 && read.includes('/')) return found.join(', ')
  return read.includes('/') ? undefined : read.trim() || undefined
}
