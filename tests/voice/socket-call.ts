/** A client of GET /v1/realtime that writes down what it is told. */
import { WebSocket } from 'ws'
import type { RealtimeEvent } from '#voice/realtime'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'

export interface SocketCall extends AsyncDisposable {
  readonly events: RealtimeEvent[]
  /** The events as they came. */
  readonly texts: string[]
  types(): string[]
  send(event: object | string): void
  /** The first event of this type from `from` on. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  event(type: string, from?: number): Promise<any>
  /** Sound that came, in samples of 16 bits. */
  sound(): Int16Array
  /** Once the line is closed: its code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>
  close(): void
  cut(): void
}

const addressOf = (world: Pick<World, 'url'>, query: string): string =>
  `${world.url.replace(/^http/, 'ws')}/v1/realtime${query}`

/** Refused where it rejects: the status and the body of the answer. */
export async function connect(
  world: Pick<World, 'url'>,
  secret: string,
  {
    query = '?model=sandbox/realtime',
    ...options
  }: { query?: string; protocols?: string[]; headers?: object } = {},
): Promise<SocketCall> {
  const ws = new WebSocket(addressOf(world, query), options.protocols ?? [], {
    headers: { ...(options.protocols ? {} : { authorization: `Bearer ${secret}` }), ...options.headers },
  })
  const events: RealtimeEvent[] = []
  const texts: string[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  ws.on('message', (data) => {
    texts.push(String(data))
    events.push(JSON.parse(texts.at(-1)!))
  })
  ws.on('close', (code, reason) => closed.resolve({ code, reason: String(reason) }))
  await new Promise<void>((resolve, reject) => {
    ws.on('open', () => resolve())
    ws.on('error', reject)
    ws.on('unexpected-response', async (_request, response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      reject(new Refused(response.statusCode!, JSON.parse(text), response.headers))
    })
  })
  return {
    events,
    texts,
    types: () => events.map(({ type }) => type),
    send: (event) => ws.send(typeof event === 'string' ? event : JSON.stringify(event)),
    event: async (type, from = 0) => {
      const find = () => events.slice(from).find((event) => event.type === type)
      await until(() => find() !== undefined)
      return find()
    },
    sound: () => {
      const deltas = events.filter(({ type }) => type === 'response.output_audio.delta')
      const bytes = Buffer.concat(deltas.map(({ delta }) => Buffer.from(String(delta), 'base64')))
      return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
    },
    closed: closed.promise,
    close: () => ws.close(),
    cut: () => ws.terminate(),
    async [Symbol.asyncDispose]() {
      ws.close()
      await closed.promise
    },
  }
}

export class Refused extends Error {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly body: any
  readonly headers: Record<string, unknown>
  constructor(status: number, body: unknown, headers: Record<string, unknown>) {
    super(`refused with ${status}`)
    this.status = status
    this.body = body
    this.headers = headers
  }
}
