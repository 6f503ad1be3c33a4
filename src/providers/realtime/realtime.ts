/**
 * OpenAI's realtime wire over a WebSocket, and the servers that speak it too: Azure, xAI, LocalAI, Speaches. The wire is that of its general release
 * (developers.openai.com: realtime, client events, server events, websocket); names of events from before that release are understood. Azure:
 * learn.microsoft.com, realtime audio, `/openai/v1/realtime`, its key in the header `api-key`; xAI: docs.x.ai, voice agent.
 */

import type { RealtimeProvider, TextProvider } from '#core/spec'
import { listBytes, modelNames, pingTimeouts, type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { RealtimeConnection } from './line.ts'
import { passthroughCalls } from './passthrough.ts'

export function realtimeProvider(
  address: UpstreamAddress,
): RealtimeProvider & AsyncDisposable & Pick<TextProvider, 'ping'> {
  const client = new UpstreamClient(address)
  return {
    inputRate: 24_000,
    passthrough: passthroughCalls(client),
    connect: async (call, sink) => {
      const line = new RealtimeConnection(client, call, sink)
      const { timeouts, signal, upstreamModel } = call
      const path = `/realtime?${new URLSearchParams({ model: upstreamModel })}`
      await client.socket({ path, timeouts, signal }, line)
      return line
    },
    ping: async (signal) =>
      modelNames(await client.json({ path: '/models', signal, timeouts: pingTimeouts }, listBytes)),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
