/** Writes every letter to people as a page: `node scripts/write-letters.ts FOLDER`. With style blocks or without them they look the same: they have none. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { composeSample, samplesOf } from '../tests/account/letter-samples.ts'

const [, , folder = ''] = process.argv
if (folder === '') throw new Error('Name the folder: node scripts/write-letters.ts FOLDER')
mkdirSync(folder, { recursive: true })
for (const locale of ['fa', 'en'] as const)
  for (const [at, letter] of samplesOf(locale).entries()) {
    const { subject, text, html } = composeSample(letter, locale)
    const name = path.join(folder, `${String(at + 1).padStart(2, '0')}-${letter.kind}.${locale}`)
    writeFileSync(`${name}.html`, html)
    writeFileSync(`${name}.txt`, `${subject}\n\n${text}\n`)
  }
