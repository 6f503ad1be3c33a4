/** One room for each wire that a provider speaks, joined into the provider that routing asks. */
import type { Wire } from '#engine/inference'
import type { Catalogue } from '#engine/models'
import type { Upstream } from '#engine/routing'
import { chatCompletionsProvider } from '#providers/chat-completions'
import type { UpstreamAddress } from '#providers/kit'
import { messagesProvider } from '#providers/messages'
import { responsesProvider } from '#providers/responses'
import { sandboxProvider } from '#providers/sandbox'
import type { TextProvider } from '#providers/spec'

type Room = TextProvider & AsyncDisposable

const rooms: Record<Wire, (address: UpstreamAddress & { id: string }) => Room> = {
  chat: chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

/** A turn goes out on its own wire where the upstream speaks it; else on the first of these, which every vendor's models know best. */
const preference: readonly Wire[] = ['chat', 'responses', 'messages']

/** Every provider of the catalogue, connected. */
export function connect(models: Catalogue, opening: AsyncDisposableStack): Map<string, Upstream> {
  const upstreams = new Map<string, Upstream>()
  for (const entry of models.providers()) {
    const { id, baseUrl, apiKey, headers, dialects, timeouts, onDisconnect, maxDrains, passTraceparent } =
      entry
    const address = { id, baseUrl, headers, ...(apiKey !== undefined && { apiKey }) }
    const provider =
      id === 'sandbox' ? sandboxProvider() : joined(dialects.map((wire) => opening.use(rooms[wire](address))))
    upstreams.set(id, {
      provider,
      timeouts,
      onDisconnect,
      ...(maxDrains !== undefined && { maxDrains }),
      ...(passTraceparent && { passTraceparent }),
    })
  }
  return upstreams
}

function joined(all: readonly TextProvider[]): TextProvider {
  const byWire = new Map(all.flatMap((room) => room.wires.map((wire) => [wire, room] as const)))
  const usual = preference.map((wire) => byWire.get(wire)).find((room) => room !== undefined)!
  return {
    wires: [...byWire.keys()],
    generate: (call) => (byWire.get(call.turn.source.wire) ?? usual).generate(call),
    ping: (signal) => usual.ping(signal),
  }
}
