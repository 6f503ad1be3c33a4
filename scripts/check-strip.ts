/**
 * Node runs the sources and tests as they are, and strips their types itself. It refuses some of what the compiler accepts, such as a variable that is
 * named `of` in a `for … of`; without this check a test of the campaign shows that only when its folder runs.
 */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const files = globSync(
  ['src', 'cli', 'tests', 'bench', 'scripts', 'examples', 'console'].map((top) => `${top}/**/*.ts`),
).filter((file) => !file.endsWith('.d.ts') && !file.includes('node_modules'))
for (const file of files.toSorted())
  try {
    stripTypeScriptTypes(readFileSync(file, 'utf8'))
  } catch (error) {
    console.error(`${file}: Node cannot strip its types: ${(error as Error).message.split('\n')[0]}`)
    process.exitCode = 1
  }
