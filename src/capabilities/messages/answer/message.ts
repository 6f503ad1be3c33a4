/** Events → one message, as the clients of the wire put them together; a whole answer and a stream can so never differ. */
import type { Bill } from '#engine/turn'
import type { Event } from './event.ts'
import { type Raw, rawOf, usageOf } from './usage.ts'

export function messageOf(events: readonly Event[], bill: Bill): Raw {
  let message: Raw = {}
  const blocks: Raw[] = []
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        message = rawOf(event['message'])
        break
      case 'content_block_start':
        blocks.push({ ...rawOf(event['content_block']) })
        break
      case 'content_block_delta':
        grow(blocks[Number(event['index'])] ?? {}, rawOf(event['delta']))
        break
      case 'content_block_stop':
        readInput(blocks[Number(event['index'])] ?? {})
        break
      case 'message_delta':
        message = {
          ...message,
          ...rawOf(event['delta']),
          usage: { ...rawOf(message['usage']), ...present(rawOf(event['usage'])) },
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

/** Text, thinking and input grow; the signature comes whole, citations one by one. */
function grow(block: Raw, delta: Raw): void {
  const field = grown[String(delta['type'])]
  if (field !== undefined) block[field] = String(block[field] ?? '') + String(delta[field])
  else if (delta['type'] === 'signature_delta') block['signature'] = delta['signature']
  else if (delta['type'] === 'citations_delta') {
    const known = block['citations']
    block['citations'] = [...(Array.isArray(known) ? known : []), delta['citation']]
  }
}

/** Input that is no JSON, such as that which the limit cut, stays readable; clients of the wire wrap it so themselves. */
function readInput(block: Raw): void {
  const { partial_json: text } = block
  if (typeof text !== 'string') return
  delete block['partial_json']
  if (text === '') return
  try {
    block['input'] = JSON.parse(text)
  } catch {
    block['input'] = { INVALID_JSON: text }
  }
}

/** Figures that an event leaves out or empty stay as they were. */
const present = (fields: Raw): Raw =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
