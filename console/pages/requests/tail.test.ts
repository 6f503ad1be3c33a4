import { expect, test } from 'vitest'
import { newsOf } from './tail.ts'

const row = (at: number, state = 'completed') => ({
  id: `id-${at}`,
  created_at: new Date(Date.UTC(2026, 10, 30, 9, 0, at)).toISOString(),
  state,
})
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const list = [row(5, 'running'), row(4), row(3), row(2)]

test('new calls come to the top, changed ones stay where they are', () => {
  const news = newsOf(list, { data: [row(7), row(6), row(5)], has_more: true })
  expect(ids(news.merged)).toEqual(['id-7', 'id-6', 'id-5', 'id-4', 'id-3', 'id-2'])
  expect(news).toMatchObject({ count: 2, isGap: false })
  expect(news.inPlace).toEqual([row(5), row(4), row(3), row(2)])
})

test('a call that is seen late stands in its place by time, and once', () => {
  const late = { ...row(4), id: 'id-4b' }
  const news = newsOf(list, { data: [row(5), late, row(4)], has_more: true })
  expect(ids(news.merged)).toEqual(['id-5', 'id-4b', 'id-4', 'id-3', 'id-2'])
  expect(ids(newsOf(news.merged, { data: [row(5), late, row(4)], has_more: true }).merged)).toEqual(
    ids(news.merged),
  )
})

test('a call that no longer fits the filter leaves with the next reading, and the rows below what was read stay', () => {
  const news = newsOf(list, { data: [row(4), row(3)], has_more: true })
  expect(ids(news.merged)).toEqual(['id-4', 'id-3', 'id-2'])
  expect(ids(news.inPlace)).toEqual(ids(list))
  expect(ids(newsOf(list, { data: [row(4)], has_more: false }).merged)).toEqual(['id-4'])
})

test('more news than a page is a gap', () => {
  expect(newsOf(list, { data: [row(9), row(8)], has_more: true }).isGap).toBe(true)
  expect(newsOf([], { data: [row(9), row(8)], has_more: true }).isGap).toBe(false)
  expect(newsOf(list, { data: [], has_more: false })).toMatchObject({ merged: [], count: 0, isGap: false })
})
