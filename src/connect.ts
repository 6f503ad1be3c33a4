/** One room for each wire that a provider speaks, joined into the provider that routing asks. */
import type { Wire } from '#engine/inference'
import type { Catalogue } from '#engine/models'
import { type Upstream, wireOf } from '#engine/routing'
import type { Dialect } from '#platform/config'
import type { GuardedClient } from '#platform/net'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { embeddingsProvider } from '#providers/embeddings'
import { imagesProvider } from '#providers/images'
import type { UpstreamAddress } from '#providers/kit'
import { messagesProvider } from '#providers/messages'
import { responsesProvider } from '#providers/responses'
import { sandboxEmbeddings, sandboxImages, sandboxProvider } from '#providers/sandbox'
import type { TextProvider } from '#providers/spec'

type Room = TextProvider & AsyncDisposable

const rooms: Record<Wire, (address: UpstreamAddress & { id: string }) => Room> = {
  chat: chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

/** Every provider of the catalogue, connected. Pictures that one only links to are fetched by `net`. */
export function connect(
  models: Catalogue,
  net: GuardedClient,
  opening: AsyncDisposableStack,
): Map<string, Upstream> {
  const upstreams = new Map<string, Upstream>()
  for (const entry of models.providers()) {
    const { id, baseUrl, apiKey, headers, dialects, timeouts } = entry
    const { onDisconnect, maxDrains, passTraceparent, takesLinks } = entry
    const address = { id, baseUrl, headers, ...(apiKey !== undefined && { apiKey }) }
    const connected =
      id === 'sandbox'
        ? { provider: sandboxProvider(), images: sandboxImages(), embeddings: sandboxEmbeddings() }
        : roomsFor(dialects, address, net, opening)
    upstreams.set(id, {
      ...connected,
      timeouts,
      onDisconnect,
      ...(maxDrains !== undefined && { maxDrains }),
      ...(passTraceparent && { passTraceparent }),
      ...(takesLinks !== undefined && { takesLinks }),
    })
  }
  return upstreams
}

function roomsFor(
  dialects: readonly Dialect[],
  address: UpstreamAddress & { id: string },
  net: GuardedClient,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'images' | 'embeddings'> {
  const wires = dialects.filter((dialect) => dialect !== 'images')
  const texts = wires.map((wire) => opening.use(rooms[wire](address)))
  const embeddings = wires.includes('chat') && opening.use(embeddingsProvider(address))
  const beside = embeddings ? { embeddings } : {}
  if (wires.length === dialects.length) return { provider: joined(texts), ...beside }
  const images = opening.use(imagesProvider(address, net))
  return { provider: joined(texts, images.ping), images, ...beside }
}

/** `ping`: for one that speaks no wire of text. */
function joined(all: readonly TextProvider[], ping?: TextProvider['ping']): TextProvider {
  const byWire = new Map(all.flatMap((room) => room.wires.map((wire) => [wire, room] as const)))
  const wires = [...byWire.keys()]
  const roomFor = (own: Wire): TextProvider => byWire.get(wireOf(wires, own))!
  return {
    wires,
    generate: (call) => roomFor(call.turn.source.wire).generate(call),
    ping: ping ?? ((signal) => roomFor('chat').ping(signal)),
  }
}
