/** Events → one message, assembled as clients of the wire do it, so that a JSON answer and a stream never differ. */
import type { Bill } from '#core/turn'
import { readObject } from '#platform/json'
import type { MessageEvent } from './event.ts'
import { type MessageJson, rawOf, usageOf } from './usage.ts'

export function messageOf(events: readonly MessageEvent[], bill: Bill): MessageJson {
  let message: MessageJson = {}
  const blocks: MessageJson[] = []
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        message = rawOf(event['message'])
        break
      case 'content_block_start':
        blocks.push({ ...rawOf(event['content_block']) })
        break
      case 'content_block_delta':
        applyDelta(blocks[Number(event['index'])] ?? {}, rawOf(event['delta']))
        break
      case 'content_block_stop':
        readInput(blocks[Number(event['index'])] ?? {})
        break
      case 'message_delta':
        message = {
          ...message,
          ...rawOf(event['delta']),
          usage: { ...rawOf(message['usage']), ...presentFields(rawOf(event['usage'])) },
        }
        break
      default:
    }
  }
  return { ...message, content: blocks, usage: usageOf(bill, message['usage']) }
}

const grown: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
}

/** Applies a delta to a block: text, thinking and input grow; the signature arrives whole, citations one by one. */
function applyDelta(block: MessageJson, delta: MessageJson): void {
  const field = grown[String(delta['type'])]
  if (field !== undefined) block[field] = String(block[field] ?? '') + String(delta[field])
  else if (delta['type'] === 'signature_delta') block['signature'] = delta['signature']
  else if (delta['type'] === 'citations_delta') {
    const known = block['citations']
    block['citations'] = [...(Array.isArray(known) ? known : []), delta['citation']]
  }
}

/** Parses the input of a call. Input that is not valid JSON, for instance because the limit cut it off, is wrapped as clients of the wire wrap it. */
function readInput(block: MessageJson): void {
  const { partial_json: text } = block
  if (typeof text !== 'string') return
  delete block['partial_json']
  if (text === '') return
  block['input'] = readObject(text)
}

/** The fields that are not null: figures that an event leaves out or sends as null stay unchanged. */
const presentFields = (fields: MessageJson): MessageJson =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
