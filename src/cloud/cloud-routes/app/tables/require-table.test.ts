/** The hint of an unknown table never stands in the way of its refusal. */
import { expect, test } from 'vitest'
import { type Catalogue, RestRefused } from '#cloud/tables'
import type { TablesRequest } from './request.ts'
import { requireTable, withHint } from './require-table.ts'

const tables = ['teams', 'people'].map((name, at) => ({ id: String(at + 1), schema: 'public', name }))
const catalogue = {
  tables,
  table: (_: string, wanted: string) => tables.find(({ name }) => name === wanted),
} as unknown as Catalogue

async function refusalOf(name: string, run: () => Promise<string[][][]>) {
  let runs = 0
  const counted = () => {
    runs++
    return run()
  }
  const request = { schema: 'public', name, run: counted } as unknown as TablesRequest
  let refused: unknown
  try {
    requireTable(catalogue, request)
  } catch (error) {
    refused = await withHint(request, error)
  }
  const { code, hint } = (refused as RestRefused).refusal
  return { code, hint: hint?.en, runs }
}

test('a refusal whose hint cannot be looked up is the same without one', async () => {
  const busy = () =>
    Promise.reject(new RestRefused({ status: 504, code: '57014', message: { en: 'late', fa: '' } }))
  expect(await refusalOf('team', async () => [[['1']]])).toEqual({
    ...{ code: 'PGRST205', hint: "Perhaps you meant the table 'public.teams'", runs: 1 },
  })
  expect(await refusalOf('team', busy)).toEqual({ code: 'PGRST205', hint: undefined, runs: 1 })
})

test('a name that resembles none costs no query', async () => {
  expect(await refusalOf('zzzzzz', async () => [])).toEqual({ code: 'PGRST205', hint: undefined, runs: 0 })
})
