/**
 * `npm run check` holds the console to what its words and its look have one place for: styles name no side and no colour, and sentences stand in
 * files of words, in both languages. What is drawn once as a piece is drawn nowhere else.
 */
import { globSync, readFileSync } from 'node:fs'
import { pieceFaults } from './console/piece-faults.ts'
import { styleFaults } from './console/style-faults.ts'
import { wordFaults } from './console/word-faults.ts'

const faults = globSync(['console/**/*.{css,ts,tsx}'], { exclude: (name) => name === 'dist' })
  .map((file) => file.replaceAll('\\', '/'))
  .toSorted()
  .flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return file.endsWith('.css')
      ? styleFaults(file, text)
      : [...wordFaults(file, text), ...pieceFaults(file, text)]
  })
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
