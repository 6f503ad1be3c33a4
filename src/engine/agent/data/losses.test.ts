/** What must not be lost, or counted twice, on the way from files to figures. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type WriteSheet, writeXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Note } from './columns/notes.ts'
import { readTables } from './read-table.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-losses-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
async function inputOf(bytes: string | Uint8Array) {
  files += 1
  const place = path.join(folder, String(files))
  await writeFile(place, bytes)
  return { name: `f${files}`, path: place }
}

async function read(...each: (string | Uint8Array)[]) {
  const inputs = await Promise.all(each.map(inputOf))
  return (await readTables({ inputs, columnWord: 'c' })).found!
}

const noteOf = <Kind extends Note['kind']>(notes: readonly Note[], kind: Kind) =>
  notes.find((note): note is Note & { kind: Kind } => note.kind === kind)

describe('totals', () => {
  test('a total at the end of each of several files is summed in none of them', async () => {
    const found = await read('نام,مبلغ\nالف,10\nب,20\nجمع,30\n', 'نام,مبلغ\nالف,1\nب,2\nجمع,3\n')
    expect(found).toMatchObject({ rows: 4, of: 4 })
    expect(found.profile[1]!.sum).toBe('33')
    expect(found.profile[0]!.distinct).toBe(2)
    expect(noteOf(found.notes, 'totals')).toMatchObject({ count: 2, agree: 'yes' })
    expect(noteOf(found.notes, 'used')!.sources.map(({ rows }) => rows)).toEqual([2, 2])
  })

  test('a total at the end of each of several sheets is summed in none of them', async () => {
    const sheet = (name: string, a: number, b: number): WriteSheet => ({
      name,
      rows: [
        ['نام', 'مبلغ'],
        ['الف', a],
        ['ب', b],
        ['جمع', a + b],
      ],
    })
    const found = await read(await writeXlsx({ sheets: [sheet('یک', 10, 20), sheet('دو', 1, 2)] }))
    expect(found).toMatchObject({ rows: 4, of: 4 })
    expect(found.profile[1]!.sum).toBe('33')
  })

  test('a total that a remark follows is summed as little as one at the end', async () => {
    const found = await read('نام,مبلغ\nالف,10\nب,20\nجمع,30\nتهیه‌کننده: واحد مالی,\n')
    expect(found.profile[1]!.sum).toBe('30')
    expect(noteOf(found.notes, 'totals')).toMatchObject({ count: 1, agree: 'yes' })
  })

  test('a row among others that only bears the name of a total stays data', async () => {
    const found = await read('نام,مبلغ\nالف,10\nجمع,30\nب,20\n')
    expect(found).toMatchObject({ rows: 3, of: 3 })
    expect(found.profile[1]!.sum).toBe('60')
  })
})
