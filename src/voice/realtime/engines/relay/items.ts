/** Translates items of the conversation into inputs of an upstream. */
import type { RealtimeInput } from '#core/spec'
import type { Conversation, ConversationItem } from '../../parts.ts'

/** OpenAI takes ids of 32 characters; a longer one of a client is not passed on. */
const maxId = 32

/** The inputs for an item. Sound without a transcript is left out, since the upstream has heard it or never will. */
export function inputsOf(item: ConversationItem, conversation: Conversation): RealtimeInput[] {
  const id = item.id.length <= maxId ? { id: item.id } : {}
  if (item.type === 'function_call')
    return [
      {
        type: 'function_call',
        ...id,
        callId: item.call_id ?? '',
        name: item.name ?? '',
        arguments: item.arguments ?? '',
      },
    ]
  if (item.type === 'function_call_output') {
    const call = conversation.items.find(
      (one) => one.type === 'function_call' && one.call_id === item.call_id,
    )
    const callId = item.call_id ?? ''
    return [{ type: 'function_result', ...id, callId, name: call?.name ?? '', output: item.output ?? '' }]
  }
  const text = item.content
    .flatMap((part) => ('text' in part ? [part.text] : 'transcript' in part ? [part.transcript ?? ''] : []))
    .join('\n')
  const images = item.content.flatMap((part) =>
    part.type === 'input_image' ? [{ type: 'image', dataUrl: part.image_url } as const] : [],
  )
  return [
    ...images,
    ...(text.trim() === '' ? [] : [{ type: 'message' as const, ...id, role: item.role ?? 'user', text }]),
  ]
}
