import { linkedKinds } from '#engine/media'
import type { Content, Turn, Wire } from '#engine/turn'
import type { TextProvider } from '#providers/spec'

/** A turn goes out on its own wire where the upstream speaks it; else on the first of these, which every vendor's models know best. */
const preference: readonly Wire[] = ['chat', 'responses', 'messages']

/** The wire by which a turn that came by `own` goes to an upstream that speaks these. */
export const wireOf = (spoken: readonly Wire[], own: Wire): Wire =>
  spoken.includes(own) ? own : preference.find((wire) => spoken.includes(wire))!

/** What upstreams open by themselves when they are given a link, as the makers of the wires have it. */
const opened: Record<Wire, readonly Content['type'][]> = {
  chat: ['image'],
  responses: ['image', 'document'],
  messages: ['image', 'document'],
}

/**
 * Who opens the links of a turn. `here`: someone who may answer does not, so they are fetched and sent as data · `upstream`: each by himself, as
 * wires have it · `trusted`: each by the operator's explicit word, which takes the answer for their addresses on itself.
 */
export type LinkOpener = 'here' | 'upstream' | 'trusted'

/** One who may answer: his provider, and what the operator says of his model's links or else of the provider's. */
export interface Speaker {
  provider: Pick<TextProvider, 'wires'>
  takesLinks?: boolean | undefined
}

/** By all who may answer the turn together. */
export function linkOpener(speakers: readonly Speaker[], { messages, source }: Turn): LinkOpener {
  const kinds = [...linkedKinds(messages)]
  const opens = ({ provider, takesLinks }: Speaker): boolean => {
    const openable = opened[wireOf(provider.wires, source.wire)]
    return kinds.every((kind) => takesLinks ?? openable.includes(kind))
  }
  if (!speakers.every(opens)) return 'here'
  return speakers.every(({ takesLinks }) => takesLinks) ? 'trusted' : 'upstream'
}
