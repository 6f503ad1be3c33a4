/** The metrics of Vazirmatn, read from its file in node_modules: which characters it has and their widths. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const fontFiles = ['Regular', 'Bold'].map((weight) =>
  fileURLToPath(import.meta.resolve(`vazirmatn/fonts/ttf/Vazirmatn-${weight}.ttf`)),
)

export interface Font {
  has(character: string): boolean
  /** The width of a text on one line, in units of the font size. Joining letters are measured in their joined forms. */
  widthOf(text: string): number
}

let loaded: Font | undefined

/** The font, which is read on first use (120 KB) and kept. */
export function loadFont(): Font {
  loaded ??= fontOf(readFileSync(fontFiles[0]!))
  return loaded
}

function fontOf(bytes: Buffer): Font {
  const tables = tablesOf(bytes)
  const glyphOf = readCharacterMap(bytes, tables.get('cmap')!)
  const advanceOf = readAdvances(bytes, tables)
  const forms = joiningForms(glyphOf)
  const widthAs = (code: number): number => advanceOf(glyphOf(code))
  return {
    has: (character) => glyphOf(character.codePointAt(0)!) !== 0,
    widthOf(text) {
      const letters = Array.from(text, (letter) => letter.codePointAt(0)!).filter((code) => !isMark(code))
      return letters.reduce((sum, code, at) => {
        const own = forms.get(code)
        if (!own) return sum + (isJoiner(code) ? 0 : widthAs(code))
        const before = joinsNext(letters[at - 1], forms)
        const after = own.length === 4 && joinsPrevious(letters[at + 1], forms)
        return sum + widthAs(own[formOf(before, after)]!)
      }, 0)
    },
  }
}

/** The index of a letter's form: isolated, final, initial, medial, the order in which Unicode lists them. */
const formOf = (before: boolean, after: boolean): number => (before ? 1 : 0) + (after ? 2 : 0)

type JoiningForms = ReadonlyMap<number, readonly number[]>

const zeroWidthJoiner = 0x200d
const isJoiner = (code: number): boolean => code === 0x200c || code === zeroWidthJoiner
const isMark = (code: number): boolean => /\p{M}/u.test(String.fromCodePoint(code))

/** Whether a letter joins the next one. Letters with two forms join only the previous letter. */
const joinsNext = (code: number | undefined, forms: JoiningForms): boolean =>
  code !== undefined && (code === zeroWidthJoiner || forms.get(code)?.length === 4)
const joinsPrevious = (code: number | undefined, forms: JoiningForms): boolean =>
  code !== undefined && (code === zeroWidthJoiner || forms.has(code))

/** The presentation forms of each letter (U+FB50–FDFF, U+FE70–FEFF), where the font has them all. */
function joiningForms(glyphOf: (code: number) => number): JoiningForms {
  const forms = new Map<number, number[]>()
  for (let code = 0xfb50; code <= 0xfefc; code++) {
    const letters = Array.from(String.fromCodePoint(code).normalize('NFKC'))
    const letter = letters[0]!.codePointAt(0)!
    if (letters.length !== 1 || letter === code) continue
    forms.set(letter, [...(forms.get(letter) ?? []), code])
  }
  const usable = [...forms].filter(
    ([, own]) => (own.length === 2 || own.length === 4) && own.every((code) => glyphOf(code) !== 0),
  )
  return new Map(usable)
}

/** OpenType's table directory: name → offset. */
function tablesOf(bytes: Buffer): Map<string, number> {
  const count = bytes.readUInt16BE(4)
  const places = Array.from({ length: count }, (_, index) => 12 + 16 * index)
  return new Map(places.map((at) => [bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 8)]))
}

/** A `cmap` subtable of format 4 (segments of the Basic Multilingual Plane); 0 is the glyph of missing characters. */
function readCharacterMap(bytes: Buffer, cmap: number): (code: number) => number {
  const table = cmap + bytes.readUInt32BE(cmap + 8)
  const doubled = bytes.readUInt16BE(table + 6)
  const [ends, starts] = [table + 14, table + 16 + doubled]
  const [deltas, offsets] = [starts + doubled, starts + 2 * doubled]
  return (code) => {
    if (code > 0xffff) return 0
    for (let at = 0; at < doubled; at += 2) {
      if (code > bytes.readUInt16BE(ends + at)) continue
      const start = bytes.readUInt16BE(starts + at)
      if (code < start) return 0
      const offset = bytes.readUInt16BE(offsets + at)
      const delta = bytes.readUInt16BE(deltas + at)
      if (offset === 0) return (code + delta) & 0xffff
      const glyph = bytes.readUInt16BE(offsets + at + offset + 2 * (code - start))
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff
    }
    return 0
  }
}

/** Reads the widths in `hmtx`, whose last advance holds for all glyphs after it. */
function readAdvances(bytes: Buffer, tables: ReadonlyMap<string, number>): (glyph: number) => number {
  const unitsPerEm = bytes.readUInt16BE(tables.get('head')! + 18)
  const count = bytes.readUInt16BE(tables.get('hhea')! + 34)
  const metrics = tables.get('hmtx')!
  return (glyph) => bytes.readUInt16BE(metrics + 4 * Math.min(glyph, count - 1)) / unitsPerEm
}
