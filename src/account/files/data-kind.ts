/**
 * Detects files of data, and documents in DOCX and plain text. The content decides the type first; among plain texts, which look alike, the name and the
 * type that the sender wrote down do, and then the content again.
 */
import { mediaTypeOf } from '#core/media'
import { boundsOf, NotJson, readJson, readJsonSync } from '#platform/json'
import type { Probe } from './probe.ts'

export const csv = 'text/csv'
export const tsv = 'text/tab-separated-values'
export const json = 'application/json'
export const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const plainText = 'text/plain'

/** What the sender declares about the type. */
export interface FileHints {
  /** The name for people, and the name on the sender's disk. */
  names: readonly (string | undefined)[]
  /** The type that the sender wrote down. */
  claimed?: string | undefined
  /** The type of a form's part, which programs guess by the name; text/plain where they do not know it (RFC 7578, 4.4). */
  partType?: string | undefined
}

/** What is looked at of a text; whether it is JSON is told by so much of it. */
const headBytes = 64 * 1024

/** The media type; undefined for a file that is no CSV, TSV, JSON, XLSX or DOCX, and no text that is called one. */
export async function dataKindOf(probe: Probe, hints: FileHints): Promise<string | undefined> {
  const head = await probe.read(0, headBytes)
  if (head.length === 0) return undefined
  if (head.indexOf('PK\u0003\u0004', 0, 'latin1') === 0) return officeTypeOf(probe)
  if (!isText(head)) return undefined
  const text = textIn(head)
  const named = hints.names.map(byName).find((type) => type !== undefined)
  const declared = named ?? typeByDeclaration(hints.claimed)
  if (declared) return declared === json && !beginsAsJson(text) ? undefined : declared
  const guessed = hints.claimed === undefined ? typeByDeclaration(hints.partType) : undefined
  if (guessed && guessed !== plainText) return guessed === json && !beginsAsJson(text) ? undefined : guessed
  return (await isJson(text, probe.bytes <= headBytes)) ? json : guessed
}

const beginsAsJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Whether a text is JSON, as a whole or in each line. One that goes on may break off anywhere. Logs and Markdown begin with brackets, too. */
async function isJson(text: string, isWhole: boolean): Promise<boolean> {
  if (!beginsAsJson(text)) return false
  // Before a comma stands no half of a number or a word.
  return (
    (await isOneJson(isWhole ? text : text.slice(0, text.lastIndexOf(',')), isWhole)) ||
    hasRecordLines(text, isWhole)
  )
}

async function isOneJson(text: string, isWhole: boolean): Promise<boolean> {
  try {
    await readJson(Buffer.from(text), { ...boundsOf(headBytes), maxMembers: headBytes })
    return true
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    const { trouble } = error
    if (isWhole) return false
    return trouble.kind === 'endsEarly' || (trouble.kind === 'unexpected' && trouble.at >= text.length)
  }
}

/** Whether each line is an object, as in JSON Lines. */
function hasRecordLines(text: string, isWhole: boolean): boolean {
  const lines = text.split('\n').slice(0, isWhole ? undefined : -1)
  return lines.length > 0 && lines.every((line) => line.trim() === '' || isRecord(line))
}

function isRecord(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false
  try {
    readJsonSync(line)
    return true
  } catch {
    return false
  }
}

const endings: Record<string, string> = {
  csv,
  tsv,
  tab: tsv,
  json,
  txt: plainText,
  text: plainText,
  md: plainText,
  markdown: plainText,
  log: plainText,
}

const byName = (name = ''): string | undefined => {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined
}

/** Declared types; Windows declares CSV as Excel's. */
const typesByDeclaration: Record<string, string> = {
  [csv]: csv,
  'application/vnd.ms-excel': csv,
  [tsv]: tsv,
  [json]: json,
  [plainText]: plainText,
  'text/markdown': plainText,
}

function typeByDeclaration(claimed = ''): string | undefined {
  const plain = mediaTypeOf(claimed)
  return Object.hasOwn(typesByDeclaration, plain) ? typesByDeclaration[plain] : undefined
}

/** Whether the text may be Persian in some encoding. Of these only UTF-16, which begins with a mark, has zero bytes. */
function isText(head: Buffer): boolean {
  if (isUtf16(head)) return true
  return !head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d)
}

const isUtf16 = (head: Buffer): boolean => {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0
  return mark === 0xfffe || mark === 0xfeff
}

/** The text of the head; its first character is right in every encoding. */
function textIn(head: Buffer): string {
  if (!isUtf16(head)) return head.toString('utf8').replace(/^\ufeff/, '')
  const even = Buffer.from(head.subarray(0, head.length & ~1))
  return (head[0] === 0xff ? even : even.swap16()).toString('utf16le').slice(1)
}

/** The end record of a zip with the longest remark it may have. */
const tailBytes = 22 + 65_535
const endMark = Buffer.from('PK\u0005\u0006', 'latin1')
/** The largest list of names; a workbook or a text has some dozens of parts. */
const maxListBytes = 1024 * 1024

/** The part by which an Office file shows what it is. */
const mainParts: Record<string, string> = { 'xl/workbook.xml': xlsx, 'word/document.xml': docx }

/** What an Office file in a zip is: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.16; ECMA-376 part 2. */
async function officeTypeOf(probe: Probe): Promise<string | undefined> {
  const tail = await probe.read(Math.max(0, probe.bytes - tailBytes), tailBytes)
  const end = tail.lastIndexOf(endMark)
  if (end < 0 || tail.length < end + 20) return undefined
  const [size, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (size > maxListBytes || offset + size > probe.bytes) return undefined
  const list = await probe.read(offset, size)
  if (!list.includes('[Content_Types].xml')) return undefined
  return Object.entries(mainParts).find(([name]) => list.includes(name))?.[1]
}
