/** The parts of a workbook that its sheets share: their names, the texts, the formats. */
import { type CellFormat, stylesOf } from './styles.ts'
import { attribute, decodedEscapes, unescaped, XmlReader } from './xml.ts'
import {
  entryText,
  maxUnpacked,
  type UnpackBudget,
  UnpackLimitExceeded,
  type ZipEntry,
  zipEntries,
} from './zip.ts'

export interface Book {
  path: string
  sheets: { name: string; entry: ZipEntry; hidden: boolean }[]
  /** The number of sheets beyond the limit. */
  unreadSheets: number
  texts: string[]
  formats: CellFormat[]
  epoch1904: boolean
  budget: UnpackBudget
}

/** Maximum characters of all shared strings together. */
const maxText = 96 * 1024 * 1024
const maxSheets = 200

/** Opens a workbook; undefined if the file is not one. Throws `UnpackLimitExceeded`. */
export async function openBook(path: string): Promise<Book | undefined> {
  const entries = await zipEntries(path)
  const main = entries?.get('xl/workbook.xml')
  if (!entries || !main) return undefined
  const budget = { left: maxUnpacked }
  const part = (name: string): AsyncIterable<string> => {
    const entry = entries.get(name.toLowerCase())
    return entry ? entryText(path, entry, budget) : emptyText()
  }
  const targets = await targetsOf(part('xl/_rels/workbook.xml.rels'))
  const { named, epoch1904 } = await sheetsOf(part('xl/workbook.xml'))
  const sheets = named.flatMap(({ name, id, hidden }) => {
    const target = targets.get(id) ?? ''
    const full = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    const entry = entries.get(full.toLowerCase())
    return entry && full.includes('worksheets/') ? [{ name, entry, hidden }] : []
  })
  return {
    path,
    sheets: sheets.slice(0, maxSheets),
    unreadSheets: Math.max(0, sheets.length - maxSheets),
    texts: await textsOf(part('xl/sharedStrings.xml')),
    formats: await stylesOf(part('xl/styles.xml')),
    epoch1904,
    budget,
  }
}

/** A missing part counts as empty. */
async function* emptyText(): AsyncGenerator<string> {}

async function targetsOf(pieces: AsyncIterable<string>): Promise<Map<string, string>> {
  const targets = new Map<string, string>()
  const reader = new XmlReader({
    open(name, tag) {
      if (name === 'Relationship') targets.set(attribute(tag, 'Id') ?? '', attribute(tag, 'Target') ?? '')
    },
  })
  for await (const piece of pieces) reader.push(piece)
  return targets
}

async function sheetsOf(pieces: AsyncIterable<string>) {
  const named: { name: string; id: string; hidden: boolean }[] = []
  let epoch1904 = false
  const reader = new XmlReader({
    open(name, tag) {
      if (name === 'workbookPr') epoch1904 = ['1', 'true'].includes(attribute(tag, 'date1904') ?? '')
      if (name === 'sheet')
        named.push({
          name: attribute(tag, 'name') ?? '',
          id: attribute(tag, 'r:id') ?? '',
          hidden: (attribute(tag, 'state') ?? 'visible') !== 'visible',
        })
    },
  })
  for await (const piece of pieces) reader.push(piece)
  return { named, epoch1904 }
}

/** The shared texts of a workbook. Runs of a formatted text are joined; phonetic hints are left out. */
async function textsOf(pieces: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = []
  let [text, characters] = ['', 0]
  let [isText, isPhonetic] = [false, false]
  const reader = new XmlReader({
    open(name) {
      if (name === 'si') text = ''
      else if (name === 't') isText = true
      else if (name === 'rPh') isPhonetic = true
    },
    text(piece) {
      if (isText && !isPhonetic) text += unescaped(piece)
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'si') {
        texts.push(decodedEscapes(text))
        characters += text.length
        if (characters > maxText)
          throw new UnpackLimitExceeded('The texts of the workbook are more than is read.')
      }
    },
  })
  for await (const piece of pieces) reader.push(piece)
  return texts
}
