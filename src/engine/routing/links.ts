import type { Content, Turn, Wire } from '#engine/inference'
import { linkedKinds } from '#engine/media'
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

/** Whether this upstream opens every link of the turn by itself. */
export function opensLinks(
  { provider, takesLinks }: { provider: Pick<TextProvider, 'wires'>; takesLinks?: boolean },
  { messages, source }: Turn,
): boolean {
  const openable = opened[wireOf(provider.wires, source.wire)]
  return [...linkedKinds(messages)].every((kind) => takesLinks ?? openable.includes(kind))
}
