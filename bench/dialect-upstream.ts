/** An upstream that speaks every text wire and answers at once, over HTTP or from memory in place of a socket. */
import { createServer } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Wire } from '#core/turn'
import { freePort } from '../tests/harness/free-port.ts'
import { eventsOf, piecesOf } from './dialect-streams.ts'

export const wires: readonly Wire[] = ['chat', 'responses', 'messages']
export const paths: Record<Wire, string> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}

/** A provider and a model `bench/<wire>` for each wire; JSON is YAML. */
export const configOf = (url: string): string =>
  JSON.stringify({
    providers: wires.map((wire) => ({
      id: wire,
      base_url: `${url}/v1`,
      api_key: 'secret',
      dialects: [wire],
    })),
    models: wires.map((wire) => ({
      id: `bench/${wire}`,
      kind: 'text',
      deployments: [{ provider: wire, model: 'upstream-model' }],
      context_length: 128_000,
      max_output_tokens: 16_384,
      features: ['tools'],
      pricing: { input_per_million: 1, output_per_million: 2 },
    })),
    defaults: { text_model: 'bench/chat', credits_per_usd: 1000, markup: 1 },
  })

/** Replaces a connection pool: the reader gets each piece before the next one is sent. */
export function answerFromMemory(tokens: number): Dispatcher['dispatch'] {
  const answers = wires.map((wire) => [paths[wire], piecesOf(eventsOf(wire, tokens))] as const)
  const piecesAt = new Map<string, Buffer[]>(answers)
  return ({ path }, handler) => {
    const pieces = piecesAt.get(path) ?? []
    let place = 0
    const next = (): void => {
      const piece = pieces[place++]
      if (piece) {
        handler.onResponseData?.(controller, piece)
        queueMicrotask(() => process.nextTick(next))
      } else handler.onResponseEnd?.(controller, {})
    }
    // As of a socket: nothing is answered before the caller has the return of `dispatch`.
    process.nextTick(() => {
      handler.onRequestStart?.(controller, undefined)
      handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' })
      next()
    })
    return true
  }
}

/** Sends the complete answer at `path` to a handler that ignores it, which measures the cost of sending. */
export const feedWithoutReader = (dispatch: Dispatcher['dispatch'], path: string): Promise<void> =>
  new Promise((resolve) => {
    dispatch({ path, method: 'POST' }, { onResponseData() {}, onResponseEnd: () => resolve() })
  })

const controller: Dispatcher.DispatchController = {
  paused: false,
  aborted: false,
  reason: null,
  rawHeaders: [],
  pause() {},
  resume() {},
  abort() {},
}

/** Serves the answers over HTTP; resolves with the server's address. */
export async function serveAnswers(tokens: number, stack: AsyncDisposableStack): Promise<string> {
  const answers = new Map(wires.map((wire) => [paths[wire], eventsOf(wire, tokens).join('')]))
  const server = createServer({ noDelay: true }, (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answers.get(request.url!))
    })
  })
  const port = await freePort()
  stack.defer(() => void server.close())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return `http://127.0.0.1:${port}`
}
