import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = path.dirname(fileURLToPath(import.meta.resolve('vazirmatn/package.json')))

/** The path of a face of Vazirmatn; faces named FD draw Latin digits in the Persian shape. */
export const fontPath = (name: string): string =>
  path.join(folder, name.includes('-FD-') ? 'misc/Farsi-Digits' : '.', 'fonts/ttf', `${name}.ttf`)

export const fontFile = (name: string): Buffer => readFileSync(fontPath(name))

/** A font for web pages and drawings, in Base64. */
export const webFont = (weight: 400 | 700): string =>
  readFileSync(
    path.join(folder, 'fonts/webfonts', `Vazirmatn-${weight === 400 ? 'Regular' : 'Bold'}.woff2`),
    'base64',
  )
