/**
 * `npm run answers -- record <out.json> [--root <checkout>]` asks a server of a checkout every route of its own /openapi.json, with
 * successes and refusals, and writes down what it answered, what its upstreams were asked and what stands in its database afterwards.
 * `npm run answers -- compare <before.json> <after.json>` names every difference and ends with 1 when there is one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { differences } from './answers/compare.ts'
import { record } from './answers/record.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: path.resolve(import.meta.dirname, '..') } },
})
const [command, first, second] = positionals

if (command === 'record' && first !== undefined) {
  const recording = await record(path.resolve(values.root))
  writeFileSync(first, `${JSON.stringify(recording, null, 1)}\n`)
  console.log(`${Object.keys(recording.answers).length} answers are in ${first}`)
} else if (command === 'compare' && first !== undefined && second !== undefined) {
  const found = differences(read(first), read(second))
  for (const line of found) console.log(line)
  console.log(found.length === 0 ? 'no difference' : `${found.length} differences`)
  process.exitCode = found.length === 0 ? 0 : 1
} else {
  console.error(
    'npm run answers -- record <out.json> [--root <checkout>] | compare <before.json> <after.json>',
  )
  process.exitCode = 2
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
