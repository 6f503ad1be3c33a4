/** Clients who use what the product sells, before, during and after a stand-still, and write down what they saw of every call. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { path as webhooks } from '../../account/webhooks-world.ts'
import type { Client } from '../../harness/client.ts'
import { path as batches } from '../../text/batches-world.ts'
import { version } from '../../text/messages-world.ts'
import type { Person, Site } from './site.ts'

/**
 * No client waits longer for the end of a request: the longest timeout of an upstream that says nothing (30 s for its first byte), with a
 * stand-still of 20 s.
 */
const boundMs = 60_000
/** In which a client that repeats its request under its key gets its answer. */
const insistMs = 90_000

export type Kind = 'chat' | 'streamed' | 'keyed' | 'keyed stream' | 'picture' | 'file' | 'batch' | 'work'

export interface Call {
  name: string
  kind: Kind
  /**
   * Of the last try: a whole answer; a refusal or an error event; a line that broke off; nothing within the bound, which nobody may see.
   */
  saw: 'answered' | 'refused' | 'broken' | 'hung'
  tries: number
  status?: number
  code?: string | undefined
  /** Of a refusal. */
  text?: string
  /** Of a whole answer that is not streamed, in micro-credits. */
  charged?: string | null
  /** What was accepted, such as a batch. */
  id?: string
}

type Seen = Omit<Call, 'name' | 'kind' | 'tries'>

/** What a client of each kind sends. Those with a key send it again until they know the end. */
const kinds: Record<Kind, (client: Client, name: string) => Promise<Omit<Call, 'name' | 'kind'>>> = {
  chat: (client, name) => once(chat(client, name, false)),
  streamed: (client, name) => once(chat(client, name, true)),
  keyed: (client, name) => insist(() => chat(client, name, false, name)),
  'keyed stream': (client, name) => insist(() => chat(client, name, true, name)),
  picture: (client, name) =>
    insist(() => json(client, '/v1/studio/image', { model: 'test/painter', prompt: name }, name)),
  file: (client, name) => insist(() => json(client, '/v1/files', fileOf(name), name)),
  batch: (client, name) => insist(() => json(client, batches, { requests: rowsOf(name) }, name, version)),
  work: (client, name) =>
    insist(() => json(client, '/v1/work', { kind: 'code', input: stepsOf(name) }, name)),
}

/** Names of the rows of a batch and of the steps of a run: by these the upstream is asked. */
export const partsOf = (name: string): string[] => [0, 1, 2].map((part) => `${name}-p${part}`)
const stepsOf = (name: string): string => partsOf(name).join(' ')
const rowsOf = (name: string) =>
  partsOf(name).map((part) => ({
    custom_id: part,
    params: { max_tokens: 100, messages: [{ role: 'user', content: part }] },
  }))

/** What is in the file of this name. */
export const contentOf = (name: string): string => JSON.stringify({ name })
const fileOf = (name: string) => ({
  name,
  media_type: 'application/json',
  data: Buffer.from(contentOf(name)).toString('base64'),
})

/** So many at once of each kind. */
const clients: Record<Kind, number> = {
  chat: 3,
  streamed: 4,
  keyed: 3,
  'keyed stream': 2,
  picture: 2,
  file: 2,
  batch: 1,
  work: 1,
}
/** Orders of durable work, each of which is several calls, come one after the other, and not as fast as they are accepted. */
const betweenMs: Partial<Record<Kind, number>> = { file: 200, batch: 1_000, work: 1_000 }

export interface Load {
  readonly calls: readonly Call[]
  /** No further calls; resolves when those that are under way have ended. */
  end(): Promise<void>
}

/** Every client goes from server to server, and is told by a webhook how batches end. */
export async function beginLoad(site: Site, person: Person): Promise<Load> {
  // The last one never stands still alone.
  const subscriber = site.client(site.servers.at(-1)!, person)
  const hook = await subscriber.post(webhooks, { url: site.receiver.url(''), events: ['batch.completed'] })
  expect(hook.status, hook.text).toBe(201)
  const calls: Call[] = []
  let isOn = true
  const loops = Object.entries(clients).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => useUntil(kind as Kind, at)),
  )
  async function useUntil(kind: Kind, at: number): Promise<void> {
    for (let round = 0; isOn; round++) {
      const server = site.servers[(at + round) % site.servers.length]!
      const name = `${person.account}-${kind.replace(' ', '-')}-${at}-${round}`
      const seen = await kinds[kind](site.client(server, person), name)
      calls.push({ name, kind, ...seen })
      await pause(seen.saw === 'answered' ? (betweenMs[kind] ?? 0) : 250)
    }
  }
  return {
    calls,
    end: async () => {
      isOn = false
      await Promise.all(loops)
    },
  }
}

const once = async (seen: Promise<Seen>) => ({ ...(await seen), tries: 1 })

/** As official clients do: again under the same key where the line broke, where it was not now, and while the first try goes on. */
async function insist(send: () => Promise<Seen>) {
  const endMs = Date.now() + insistMs
  for (let tries = 1; ; tries++) {
    const seen = await send()
    const isOpen = seen.saw === 'broken' || (seen.saw === 'refused' && passing.has(seen.code ?? ''))
    if (!isOpen) return { ...seen, tries }
    if (Date.now() > endMs) return { ...seen, saw: 'hung' as const, tries }
    await pause(250)
  }
}

const passing = new Set([
  'SERVICE_UNAVAILABLE',
  'IDEMPOTENCY_IN_PROGRESS',
  'RATE_LIMITED',
  'CONCURRENCY_LIMITED',
])

function chat(client: Client, name: string, stream: boolean, key?: string): Promise<Seen> {
  const body = { stream, max_tokens: 100, messages: [{ role: 'user', content: name }] }
  return ask(client, '/v1/chat/completions', body, headersOf(name, key), (text) => {
    if (!stream) return 'answered'
    if (text.includes('"error"')) return 'refused'
    return text.endsWith('data: [DONE]\n\n') && text.includes(`answer to ${name}`) ? 'answered' : 'broken'
  })
}

const json = (client: Client, path: string, body: object, key: string, more: Record<string, string> = {}) =>
  ask(client, path, body, { ...headersOf(key, key), ...more }, () => 'answered')

const headersOf = (name: string, key?: string): Record<string, string> => ({
  'x-reference-id': name,
  ...(key !== undefined && { 'idempotency-key': key }),
})

async function ask(
  client: Client,
  path: string,
  body: object,
  headers: Record<string, string>,
  sawIn: (text: string) => Seen['saw'],
): Promise<Seen> {
  const late = AbortSignal.timeout(boundMs)
  try {
    const reply = await client.raw('POST', path, JSON.stringify(body), headers, late)
    const text = await reply.text()
    const { status } = reply
    if (reply.ok)
      return { saw: sawIn(text), status, charged: reply.headers.get('x-microcredits'), ...idIn(text) }
    return { saw: 'refused', status, code: codeIn(text), text }
  } catch {
    return { saw: late.aborted ? 'hung' : 'broken' }
  }
}

const idIn = (text: string): { id?: string } => {
  const id = text.startsWith('{') ? JSON.parse(text).id : undefined
  return id === undefined ? {} : { id }
}

const codeIn = (text: string): string | undefined => {
  try {
    const { code, type } = JSON.parse(text).error
    return code ?? type
  } catch {
    return undefined
  }
}
