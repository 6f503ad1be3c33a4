import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { History, VoidRecord } from './voids.ts'
import { keepRun, parseHistory, readRuns } from './voids-file.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'kherad-voids-'))
  await mkdir(path.join(root, 'tests'))
})
afterEach(() => rm(root, { recursive: true }))

const fileText = () => readFile(path.join(root, 'tests/voids.json'), 'utf8')
const record = (run: number, more: Partial<VoidRecord> = {}): VoidRecord => ({
  ...{ run, file: 'tests/a.test.ts', fullName: 'a', commit: '5a7483bf', date: '2026-11-29' },
  ...{ gapMs: 700, error: 'in vain' },
  ...more,
})

test('a run without voids is counted, and leaves tests/voids.json alone', async () => {
  const first = await readRuns(root)
  expect(first).toEqual({ history: { runs: 0, voids: [] }, cleanRuns: 0 })
  await keepRun(root, first, first.history)
  expect((await readRuns(root)).cleanRuns).toBe(1)
  await expect(fileText()).rejects.toThrow('ENOENT')
})

test('clean runs are counted up to the next run with voids', async () => {
  const clean = async () => {
    const known = await readRuns(root)
    await keepRun(root, known, known.history)
    return (await readRuns(root)).cleanRuns
  }
  expect([await clean(), await clean()]).toEqual([1, 2])
  const history: History = { runs: 3, voids: [record(3)] }
  await keepRun(root, await readRuns(root), history)
  expect(await readRuns(root)).toEqual({ history, cleanRuns: 0 })
  expect(await fileText()).toBe(`${JSON.stringify(history, null, 2)}\n`)
  expect(await clean()).toBe(1)
})

test('what was counted before another checkout noted a void does not count', async () => {
  const known = await readRuns(root)
  await keepRun(root, known, known.history)
  const text = JSON.stringify({ runs: 5, voids: [record(5)] })
  await writeFile(path.join(root, 'tests/voids.json'), text)
  expect((await readRuns(root)).cleanRuns).toBe(0)
})

test.each([
  ['no JSON', '{', 'it is no JSON'],
  ['no object', '[]', 'no object of runs and voids'],
  ['another member', '{"runs":1,"voids":[],"more":1}', 'no object of runs and voids'],
  ['no ordinal', '{"runs":-1,"voids":[]}', 'no object of runs and voids'],
])('%s is refused', (_name, text, why) => {
  expect(() => parseHistory(text)).toThrow(why)
})

test.each<[string, unknown[], string]>([
  ['without a date', [{ ...record(11), date: undefined }], 'the void 0'],
  ['with another member', [{ ...record(11), more: 1 }], 'the void 0'],
  ['with a commit that is none', [record(11, { commit: 'main' })], 'the void 0'],
  ['of a later run', [record(12)], 'none of the last 10 runs'],
  ['of an eleventh run', [record(1)], 'none of the last 10 runs'],
  ['out of order', [record(5), record(4)], 'older than that before it'],
])('a void %s is refused', (_name, voids, why) => {
  expect(() => parseHistory(JSON.stringify({ runs: 11, voids }))).toThrow(why)
})

test('what the repository keeps can be read', async () => {
  const text = await readFile(path.resolve(import.meta.dirname, '../voids.json'), 'utf8')
  expect(JSON.stringify(parseHistory(text), null, 2)).toBe(text.trimEnd())
})
