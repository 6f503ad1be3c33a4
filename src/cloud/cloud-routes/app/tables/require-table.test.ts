/** The hint of an unknown table never stands in the way of its refusal. */
import { expect, test } from 'vitest'
import { type Catalogue, NameNotFound, RestRefused } from '#cloud/tables'
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

test('the hint of an unknown relationship names the most similar one that the caller may use, else stays as it was', async () => {
  const message = { en: 'none', fa: '' }
  const refusal = { status: 400, code: 'PGRST200', message, hint: { en: 'Add a key.', fa: '' } }
  const hintOf = ({ name }: { name: string }) => ({ en: `Perhaps ${name}`, fa: '' })
  const hintFor = async (wanted: string, allowed: string[]) => {
    const run = async () => [allowed.map((id) => [id])]
    const error = new NameNotFound(refusal, { wanted, tables: () => tables, hintOf })
    const hinted = (await withHint({ run } as unknown as TablesRequest, error)) as RestRefused
    return hinted.refusal.hint?.en
  }
  expect(await hintFor('teamss', ['1'])).toBe('Perhaps teams')
  expect(await hintFor('teamss', [])).toBe('Add a key.')
  expect(await hintFor('zzzzzz', ['1'])).toBe('Add a key.')
})

test('a name that resembles none costs no query', async () => {
  expect(await refusalOf('zzzzzz', async () => [])).toEqual({ code: 'PGRST205', hint: undefined, runs: 0 })
})
