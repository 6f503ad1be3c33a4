import { globSync, readFileSync } from 'node:fs'
import { exceptions } from './patterns/exceptions.ts'
import { offencesIn } from './patterns/offences.ts'

/**
 * Refuses regular expressions whose time grows faster than their text: one of them stops the whole process for seconds
 * when somebody sends the right 50 KB. Tests are left out; what they read is their own.
 */
const files = globSync(['src/**/*.ts', 'cli/**/*.ts']).filter((file) => !file.endsWith('.test.ts'))
const sources = files.toSorted().map((file) => ({ file, code: readFileSync(file, 'utf8') }))
const offences = offencesIn(sources, exceptions)
for (const offence of offences) console.error(offence)
if (offences.length) {
  console.error(
    `\n${offences.length} regular expressions to fix; a reviewed reason goes to scripts/patterns/exceptions.ts.`,
  )
  process.exitCode = 1
}
