/** The named entities that are written in prose; others stay as they are. */
const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  zwnj: '\u200c',
  zwj: '\u200d',
  lrm: '\u200e',
  rlm: '\u200f',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  rarr: '→',
  larr: '←',
  le: '≤',
  ge: '≥',
  ne: '≠',
}

/** The character of an entity such as `&amp;`, `&#1705;` or `&#x6a9;`; undefined if it stands for none. */
export function decodeEntity(entity: string): string | undefined {
  const name = entity.slice(1, -1)
  if (!name.startsWith('#')) return Object.hasOwn(named, name) ? named[name] : undefined
  const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  if (!Number.isInteger(point) || point === 0 || point > 0x10ffff) return undefined
  return String.fromCodePoint(point).toWellFormed()
}
