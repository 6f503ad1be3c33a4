import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'
import { corpus, questions } from './knowledge-corpus.ts'
import { add, added, create, find, path, textsFound } from './knowledge-world.ts'

let world: World
let key: Client
let id: string
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
  id = await create(key)
  for (const [title, text] of Object.entries(corpus)) await add(key, id, { type: 'text', title, text })
  await until(async () => {
    const { body } = await key.get(`${path}/${id}/sources?limit=100`)
    return body.data?.every(({ state }: { state: string }) => state === 'ready')
  })
})
afterAll(() => world[Symbol.asyncDispose]())

test('of 32 questions in Persian and English 30 find their passage first, and all among the first three', async () => {
  const places: [string, number][] = []
  for (const [question, wanted] of questions) {
    const { body } = await find(key, id, question, 20)
    const titles: string[] = body.data.map(({ source }: { source: { title: string } }) => source.title)
    places.push([question, titles.indexOf(wanted) + 1])
  }
  const missed = places.filter(([, place]) => place !== 1)
  expect(places.length).toBe(32)
  expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(2)
  expect(places.filter(([, place]) => place < 1 || place > 3)).toEqual([])
})

test('every spelling of a word finds the same passages', async () => {
  const found = await textsFound(key, id, 'کتاب‌ها')
  expect(found.length).toBeGreaterThan(0)
  for (const spelling of ['كتاب‌ها', 'کتابها', 'کتاب ها', 'کتاب‌هاي', 'کِتاب'])
    expect(await textsFound(key, id, spelling), spelling).toEqual(found)
  const amount = await textsFound(key, id, '۵۰۰٬۰۰۰')
  for (const spelling of ['500000', '500,000', '٥٠٠٬٠٠٠'])
    expect(await textsFound(key, id, spelling)).toEqual(amount)
})

test('what stands in quotation marks is found as it stands, before passages that only have its words', async () => {
  const own = await create(key)
  await added(key, own, {
    type: 'text',
    title: 'apart',
    text: 'حق مشتری است. فسخ قرارداد حق اوست. حق مشتری، فسخ قرارداد.',
  })
  await added(key, own, {
    type: 'text',
    title: 'phrase',
    text: `حق فسخ تا سه روز. ${'جملهٔ دیگری دربارهٔ چیزهای دیگر. '.repeat(20)}`,
  })
  expect((await find(key, own, 'حق فسخ')).body.data).toHaveLength(2)
  const { body } = await find(key, own, '«حق فسخ» چند روز است؟')
  expect(body.data.map(({ source }: { source: { title: string } }) => source.title)).toEqual(['phrase'])
  const nowhere = await find(key, own, '«فسخ مشتری»')
  expect(nowhere.body.data.length).toBeGreaterThan(0)
})

test('rarer words count for more, headings and titles too, and scores fall', async () => {
  const { body } = await find(key, id, 'زعفران تومان روز', 10)
  expect(body.data[0].source.title).toBe('saffron')
  const scores = body.data.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
  expect((await find(key, id, 'webhooks')).body.data[0].source.title).toBe('webhooks')
})

test('words of other knowledge projects are never found, nor do they count', async () => {
  const own = await create(key)
  expect(await textsFound(key, own, 'زعفران')).toEqual([])
  await added(key, own, { type: 'text', text: 'زعفران من' })
  expect(await textsFound(key, own, 'زعفران')).toEqual(['زعفران من'])
  expect(await textsFound(key, id, 'زعفران من')).not.toContain('زعفران من')
})
