/** Classifies number formats of a spreadsheet: dates, times, durations, percentages, or numbers. */
import { attribute, XmlReader } from './xml.ts'

export type CellFormat = 'number' | 'percent' | 'date' | 'jalali' | 'time' | 'duration'

const dates = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]
const times = [18, 19, 20, 21, 32, 33, 45, 47]
/** `[h]:mm:ss` */
const durations = [46]

export function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) {
    if (id === 9 || id === 10) return 'percent'
    if (dates.includes(id)) return 'date'
    if (durations.includes(id)) return 'duration'
    return times.includes(id) ? 'time' : 'number'
  }
  // The low half of a locale names the language, the byte above it the calendar: 16 is the Jalali one.
  const isJalali = /\[\$-(?:[0-9a-f]{0,2})?16[0-9a-f]{4}\]|\[\$-fa-IR,16\]/i.test(code)
  const bare = bareCode(code)
  if (/[ymd]/i.test(bare.replace(/\[[hms]+\]/gi, '')) && /[yd]/i.test(bare))
    return isJalali ? 'jalali' : 'date'
  if (/\[[hms]/i.test(bare)) return 'duration'
  if (/[hs]/i.test(bare)) return 'time'
  return bare.includes('%') ? 'percent' : 'number'
}

/** A format without its quoted words, colours and locales. */
function bareCode(code: string): string {
  const [positive = ''] = code.split(';')
  let bare = ''
  let quoted = false
  for (let at = 0; at < positive.length; at += 1) {
    const sign = positive[at]!
    if (sign === '"') quoted = !quoted
    else if (quoted) continue
    else if (sign === '\\' || sign === '_' || sign === '*') at += 1
    else if (sign === '[') {
      const end = positive.indexOf(']', at)
      if (end < 0) break
      const inside = positive.slice(at, end + 1)
      if (/^\[[hms]{1,3}\]$/i.test(inside)) bare += inside
      at = end
    } else bare += sign
  }
  return bare.replace(/general/gi, '')
}

/** The formats of cells, by the number in their `s`. */
export async function stylesOf(pieces: AsyncIterable<string>): Promise<CellFormat[]> {
  const codes = new Map<number, string>()
  const formats: CellFormat[] = []
  let inCells = false
  const reader = new XmlReader({
    open(name, tag) {
      if (name === 'numFmt') codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '')
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells && formats.length < 100_000) {
        const id = Number(attribute(tag, 'numFmtId') ?? 0)
        formats.push(formatOf(id, codes.get(id)))
      }
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  for await (const piece of pieces) reader.push(piece)
  return formats
}
