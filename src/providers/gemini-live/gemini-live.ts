/**
 * Gemini's Live API: models that hear and speak, over a WebSocket. Sources: ai.google.dev/api/live (BidiGenerateContent) and
 * ai.google.dev/gemini-api/docs/live-session (resumption and goAway). The upstream begins to answer when an activity ends, and counts the sound of an
 * activity; so the sound of a turn waits here until the answer is requested, and is sent in one activity.
 */

import type { RealtimeProvider } from '#core/spec'
import { type UpstreamAddress, UpstreamClient } from '#providers/kit'
import { GeminiConnection } from './line.ts'

const service = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

export function geminiRealtime(address: UpstreamAddress): RealtimeProvider & AsyncDisposable {
  const client = new UpstreamClient({ ...address, keyHeader: { name: 'x-goog-api-key' } })
  return {
    inputRate: 16_000,
    connect: async (call, sink) => {
      const line = new GeminiConnection(client.secrets, call, sink)
      const { timeouts, signal } = call
      await client.socket({ path: service, isFromRoot: true, timeouts, signal }, line)
      return line
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
