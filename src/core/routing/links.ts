import { linkedKinds } from '#core/media'
import type { TextProvider } from '#core/spec'
import type { MessageContent, Turn, Wire } from '#core/turn'

/** A turn is sent on its own wire if the upstream supports it; otherwise on the first supported of these, in order of vendors' support. */
const preference: readonly Wire[] = ['chat', 'responses', 'messages']

/** The wire on which a turn received on `own` is sent to an upstream that supports `supportedWires`. */
export const chooseWire = (supportedWires: readonly Wire[], own: Wire): Wire =>
  supportedWires.includes(own) ? own : preference.find((wire) => supportedWires.includes(wire))!

/** The kinds of links that upstreams fetch themselves, as documented for each wire. */
const openableLinks: Record<Wire, readonly MessageContent['type'][]> = {
  chat: ['image'],
  responses: ['image', 'document'],
  messages: ['image', 'document'],
}

/**
 * Who fetches the links of a turn. `here`: some candidate does not, so they are fetched here and sent as data · `upstream`: every
 * candidate does, by its wire · `trusted`: every candidate does, by the operator's explicit setting, so addresses are not checked.
 */
export type LinkOpener = 'here' | 'upstream' | 'trusted'

/** A candidate's provider, and the operator's `takes_links` of its model or else of its provider. */
export interface LinkCandidate {
  provider: Pick<TextProvider, 'wires'>
  takesLinks?: boolean | undefined
}

/** The link opener that suits all candidates of the turn. */
export function linkOpener(speakers: readonly LinkCandidate[], { messages, source }: Turn): LinkOpener {
  const kinds = [...linkedKinds(messages)]
  const opens = ({ provider, takesLinks }: LinkCandidate): boolean => {
    const openable = openableLinks[chooseWire(provider.wires, source.wire)]
    return kinds.every((kind) => takesLinks ?? openable.includes(kind))
  }
  if (!speakers.every(opens)) return 'here'
  return speakers.every(({ takesLinks }) => takesLinks) ? 'trusted' : 'upstream'
}
