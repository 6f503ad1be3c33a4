/** A person in Talk: sends messages, and reads answers as events. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Seen } from '../../harness/client.ts'
import type { Browser } from '../../harness/session.ts'

export const path = '/v1/talk/messages'

export interface SentEvent {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of an event.
  data: any
}

/** A body of POST /v1/talk/messages that begins a conversation. */
export const message = (text: string, more: Record<string, unknown> = {}) => ({
  id: randomUUID() as string,
  conversation_id: randomUUID() as string,
  parent_id: null as string | null,
  model: 'sandbox/fast',
  parts: [{ type: 'text', text }] as object[],
  ...more,
})

export async function send(browser: Browser, body: object): Promise<Seen> {
  const reply = await browser.post(path, body)
  expect(reply.status, reply.text).toBe(201)
  return reply
}

/** Reads the events of an answer to their end, or until `isEnough`. */
export async function events(
  browser: Browser,
  answerId: string,
  {
    after,
    isEnough = () => false,
  }: { after?: number | undefined; isEnough?: (seen: SentEvent[]) => boolean } = {},
): Promise<SentEvent[]> {
  const leave = new AbortController()
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': String(after) }
  const response = await browser.raw('GET', `${path}/${answerId}/events`, undefined, headers, leave.signal)
  expect(response.status).toBe(200)
  const seen: SentEvent[] = []
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(
      new TextDecoderStream() as never,
    ) as unknown as AsyncIterable<string>) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field('data')
        if (data !== undefined)
          seen.push({ id: Number(field('id')), event: field('event')!, data: JSON.parse(data) })
        if (isEnough(seen)) return seen
      }
    }
    return seen
  } finally {
    leave.abort()
  }
}

/** The text of the pieces, each of which must follow what was seen of its part. */
export function textOf(seen: readonly SentEvent[], known: Map<number, string> = new Map()): string {
  for (const { event, data } of seen) {
    if (event !== 'part' || data.kind !== 'text') continue
    const before = known.get(data.ordinal) ?? ''
    expect(data.from).toBe([...before].length)
    known.set(data.ordinal, before + data.text)
  }
  return [...known.values()].join('')
}

/** The text of a stored message. */
export const storedText = (shown: { parts: { type: string; text: string | null }[] }): string =>
  shown.parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')
