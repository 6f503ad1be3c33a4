/**
 * Draws the prompt as a poster in SVG: colours and ornaments follow from its words and seed alone, so that the same words and seed give the same
 * image.
 */
import { createHash } from 'node:crypto'
import { originXmp } from '#core/media'
import type { ImageBackground, ImageQuality, PixelSize } from '#core/turn'
import { type Font, loadFont } from './font.ts'
import { fitLines, lineHeight, type TextLine } from './lines.ts'

export interface PosterOptions {
  prompt: string
  size: PixelSize
  quality?: ImageQuality | undefined
  /** `transparent` leaves the backdrop out. */
  background?: ImageBackground | undefined
  /** The index among several images of one prompt. */
  index: number
  seed?: number | undefined
  /** True if input images are the backdrop. */
  overPictures: boolean
  /** True if the SVG itself is the picture, and not a raster of it. */
  isForReaders: boolean
}

/** Maximum length of the text on the poster; more would be too small to read at any size. */
const maxCharacters = 12_000
const mark = 'sandbox · شبیه‌ساز'
/** The note for programs that says what made the picture. */
export const provenance = 'Made by the Kherad sandbox, a simulator without a model.'
/** The same note in XMP. */
export const origin = originXmp({ type: 'algorithmicMedia', tool: provenance })
/** The renderer here has Vazirmatn; whoever opens the SVG sees a font of their own machine. */
const fontFamily = "Vazirmatn, Vazir, Tahoma, 'Noto Naskh Arabic', 'Noto Sans Arabic', sans-serif"

export function posterOf(options: PosterOptions): string {
  const { width, height } = options.size
  const colours = coloursOf(options)
  const bare = options.background === 'transparent'
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${options.isForReaders ? `<metadata>${origin}</metadata><desc>${provenance}</desc>` : ''}${bare || options.overPictures ? '' : backdrop(options, colours)}${card(options, colours, loadFont())}</svg>`
}

interface Colours {
  hue: number
  /** Bytes that vary the ornaments, by prompt, index and seed alone. */
  chance: Buffer
}

function coloursOf({ prompt, index, seed }: PosterOptions): Colours {
  const chance = createHash('sha256')
    .update(`${seed === undefined ? '' : `${seed}\n`}${index}\n${prompt}`)
    .digest()
  return { hue: Math.round((chance.readUInt16BE(0) / 0xffff) * 360), chance }
}

function backdrop({ size: { width, height }, quality }: PosterOptions, { hue, chance }: Colours): string {
  const second = (hue + 40 + (chance[2]! % 80)) % 360
  return `<defs><linearGradient id="sky" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue}, 62%, 44%)"/><stop offset="1" stop-color="hsl(${second}, 58%, 28%)"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#sky)"/>
${stars({ width, height }, starsAcross[quality ?? 'medium'], chance)}`
}

/** The number of stars across the picture, which grows with the quality. */
const starsAcross: Record<ImageQuality, number> = { low: 4, medium: 7, high: 12 }

/** Eight-pointed stars of two squares each, as on the tiles of Kashan. */
function stars({ width, height }: PixelSize, across: number, chance: Buffer): string {
  const step = Math.max(width, height) / across
  const side = step * 0.5
  const found: string[] = []
  for (let row = 0; row * step < height; row++) {
    for (let column = 0; column * step < width; column++) {
      const [x, y] = [(column + 0.5) * step, (row + 0.5) * step]
      const light = 4 + (chance[3 + ((row * 7 + column) % 29)]! % 14)
      const square = (turn: number): string =>
        `<rect x="${(x - side / 2).toFixed(1)}" y="${(y - side / 2).toFixed(1)}" width="${side.toFixed(1)}" height="${side.toFixed(1)}" transform="rotate(${turn} ${x.toFixed(1)} ${y.toFixed(1)})"/>`
      found.push(`<g fill="#fff" fill-opacity="${light / 100}">${square(0)}${square(45)}</g>`)
    }
  }
  return found.join('\n')
}

function card({ prompt, size, isForReaders }: PosterOptions, { hue }: Colours, font: Font): string {
  const { width, height } = size
  const short = Math.min(width, height)
  const [margin, padding] = [short * 0.06, short * 0.05]
  const markSize = Math.max(6, short * 0.022)
  const foot = markSize * 2.2
  const box = {
    width: Math.max(1, (width - 2 * (margin + padding)) * 0.98),
    height: Math.max(1, height - 2 * (margin + padding) - foot),
  }
  const sizes = { min: Math.max(5, short * 0.0088), max: short * 0.11 }
  const { lines, fontSize } = fitLines(legible(prompt, font), box, sizes, font)
  const step = fontSize * lineHeight
  const cardHeight = lines.length * step + 2 * padding + foot
  const top = (height - cardHeight) / 2
  const right = width - margin
  return `<rect x="${margin}" y="${top}" width="${width - 2 * margin}" height="${cardHeight}" rx="${short * 0.03}" fill="#fff" fill-opacity="0.93"/>
<g font-family="${fontFamily}" font-size="${fontSize}" fill="hsl(${hue}, 45%, 16%)">
${lines.map((line, at) => lineAt(line, at, { width, edge: margin + padding, top: top + padding, step, fontSize, centred: lines.length <= 6, isForReaders })).join('\n')}
</g>
<text x="${right - padding * 0.6}" y="${top + cardHeight - markSize * 0.9}" text-anchor="end" font-family="${fontFamily}" font-size="${markSize}" fill="hsl(${hue}, 30%, 42%)">${mark}</text>`
}

interface LineLayout {
  width: number
  edge: number
  top: number
  step: number
  fontSize: number
  /** Few lines are centred; a page of them is aligned to the start of its direction. */
  centred: boolean
  /** Browsers read `direction`, so that the start of a line is at its right; the renderer here does not. */
  isForReaders: boolean
}

function lineAt({ ordered, rightToLeft }: TextLine, at: number, layout: LineLayout): string {
  const { width, edge, isForReaders } = layout
  const [x, anchor] = layout.centred
    ? [width / 2, 'middle']
    : rightToLeft
      ? [width - edge, isForReaders ? 'start' : 'end']
      : [edge, 'start']
  const y = layout.top + at * layout.step + layout.step * 0.5 + layout.fontSize * 0.34
  const direction = isForReaders && rightToLeft ? ' direction="rtl" xml:lang="fa"' : ''
  return `<text x="${x}" y="${y.toFixed(2)}" text-anchor="${anchor}"${direction}>${escaped(ordered)}</text>`
}

/** The prompt without control and direction characters, and with a placeholder for characters that the font lacks. */
function legible(prompt: string, font: Font): string {
  const text = prompt.slice(0, maxCharacters).toWellFormed().normalize('NFC').trim()
  const plain = text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/[^\P{C}\n\u200c\u200d]/gu, '')
  return Array.from(plain, (letter) =>
    /[\s\u200c\u200d]/u.test(letter) || font.has(letter) ? letter : /\p{M}/u.test(letter) ? '' : missing,
  ).join('')
}

const missing = '\ufffd'

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'))
