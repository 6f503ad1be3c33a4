/** Reads tables that strangers wrote and computes every number of a run. Started by compute.ts, confined. */
import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'
import type { ComputeWork, FoundTable } from './compute.ts'
import { profileOf } from './figures.ts'
import { findGrid } from './find-table.ts'
import { tableOf } from './table.ts'
import { type Answer, answerView } from './views.ts'

function answer(ask: ComputeWork): FoundTable | null | Answer[] {
  if (ask.job === 'views') return ask.views.map((view) => answerView(ask.table, view, ask.other))
  const found = findGrid(ask.text)
  const table = found && tableOf(found, (place) => `${ask.columnWord} ${place}`)
  return table ? { table, profile: profileOf(table) } : null
}

const work = deserialize(await buffer(process.stdin)) as ComputeWork
process.stdout.write(JSON.stringify(answer(work)), () => process.exit(0))
