/** Reads the answers of a running server as values: one record, or all items of a list. */
import { randomUUID } from 'node:crypto'
import { refuse } from '../command.ts'
import { type Method, type RequestOptions, readBytes, readJson, request, type Server } from '../server.ts'
import { serverPhrases as words } from './phrases.ts'

const maxAnswerBytes = 16 * 1024 * 1024
const pageSize = 100

/** One answer, which has to be an object. */
export async function requestRecord<Answer>(
  server: Server,
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const answer = await request(server, method, path, options, async (reply) =>
    readJson((await readBytes(reply, maxAnswerBytes)).toString()),
  )
  return typeof answer === 'object' && answer !== null
    ? (answer as Answer)
    : refuse('NOT_KHERAD', words.badAnswer())
}

interface ListPage<Item> {
  data: Item[]
  has_more: boolean
  last_id: string | null
}

/** All items of a list in the order of the server, page by page. */
export async function requestAll<Item>(server: Server, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let after = ''; ; ) {
    const page = await requestRecord<ListPage<Item>>(server, 'GET', `${path}?limit=${pageSize}${after}`)
    if (!Array.isArray(page.data)) return refuse('NOT_KHERAD', words.badAnswer())
    items.push(...page.data)
    if (!page.has_more || page.last_id === null) return items
    after = `&after_id=${encodeURIComponent(page.last_id)}`
  }
}

/** A body with an idempotency key of its own: sent again after a lost answer, it still makes one thing. */
export const idempotentBody = (body: unknown): RequestOptions => ({
  body,
  headers: { 'idempotency-key': randomUUID() },
})
