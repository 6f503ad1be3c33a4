/** Gemini's `generateContent` for pictures and speech, and its jobs for videos. */

import type { AudioProvider, ImageProvider, TextProvider } from '#core/spec'
import type { GuardedClient } from '#platform/net'
import {
  isRecord,
  type LinkedAddress,
  listBytes,
  pingTimeouts,
  type UpstreamAddress,
  UpstreamClient,
  type VideoClient,
} from '#providers/kit'
import { draw } from './draw.ts'
import { geminiVideoProvider } from './film.ts'
import { speak } from './speak.ts'

type PingableClient = AsyncDisposable & { ping: TextProvider['ping'] }

export function geminiImages(address: UpstreamAddress): ImageProvider & PingableClient {
  const client = clientOf(address)
  return { maxCount: 1, draw: (call) => draw(client, call), ...pingableClientOf(client) }
}

export function geminiSpeech(address: UpstreamAddress): AudioProvider & PingableClient {
  const client = clientOf(address)
  return { speak: (call) => speak(client, call), warm: () => client.warm(), ...pingableClientOf(client) }
}

export function geminiVideos(address: LinkedAddress, net: GuardedClient): VideoClient {
  const client = clientOf(address)
  return {
    ...geminiVideoProvider(client, { net, egress: address.egressOfLinks }),
    ...pingableClientOf(client),
  }
}

const clientOf = (address: UpstreamAddress): UpstreamClient =>
  new UpstreamClient({ ...address, keyHeader: { name: 'x-goog-api-key' } })

const pingableClientOf = (client: UpstreamClient): PingableClient => ({
  ping: async (signal) =>
    namesIn(await client.json({ path: '/models?pageSize=1000', signal, timeouts: pingTimeouts }, listBytes)),
  [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
})

/** The names in a list of models; undefined for a list that goes on. */
function namesIn(answer: unknown): readonly string[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['models']) || answer['nextPageToken']) return undefined
  const names = answer['models'].flatMap((item: unknown) =>
    isRecord(item) && typeof item['name'] === 'string' ? [item['name'].replace(/^models\//, '')] : [],
  )
  return names.length === 0 ? undefined : names
}
