/** What the tests of batches share. */
import type { Client, Seen } from '../harness/client.ts'
import { type OpenWorld, sharedWorld } from '../harness/shared-world.ts'
import { soon, until } from '../harness/until.ts'
import { fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type WorldOptions } from '../harness/world.ts'
import type { UpstreamWorld } from './chat-world.ts'
import { user, version } from './messages-world.ts'

export const path = '/v1/messages/batches'

export const row = (customId: string, params: Record<string, unknown> = {}) => ({
  custom_id: customId,
  params: { max_tokens: 200, messages: [user(customId)], ...params },
})

export const rows = (count: number, params: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, index) => row(`row-${index}`, params))

export const create = (key: Client, requests: unknown, headers: Record<string, string> = {}): Promise<Seen> =>
  key.post(path, { requests }, { ...version, ...headers })

export const read = (key: Client, id: string): Promise<Seen> => key.get(`${path}/${id}`)

export const cancel = (key: Client, id: string, headers: Record<string, string> = {}): Promise<Seen> =>
  key.request('POST', `${path}/${id}/cancel`, undefined, headers)

/** The batch, once it has ended. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const ended = (key: Client, id: string, timeoutMs = soon): Promise<any> =>
  until(async () => {
    const { body } = await read(key, id)
    return body.processing_status === 'ended' ? body : undefined
  }, timeoutMs)

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const results = async (key: Client, id: string) =>
  linesOf((await key.get(`${path}/${id}/results`)).text)

/** A world on a fake upstream, on a server of its own that answers so many rows of an account at once. */
export const bootBatches = (rowsPerAccount: number, options: WorldOptions = {}) =>
  openBatches(boot, { ...options, rest: `batches: { rows_per_account: ${rowsPerAccount} }` })

/** The same on the shared server, which answers as many rows at once as any other. */
export const shareBatches = () => openBatches(sharedWorld)

async function openBatches(
  start: OpenWorld,
  { rest = '', ...options }: WorldOptions & { rest?: string } = {},
): Promise<UpstreamWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const config = upstreamConfig(upstream.url, { rest })
  const world = stack.use(await start({ ...options, config }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
