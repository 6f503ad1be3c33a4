/** For an upstream of the caller's own wire, fields that are not ours are passed on as their original text. */
import { expect, test } from 'vitest'
import { stream } from '../harness/upstream.ts'
import { message } from './messages-world.ts'
import { respond, shareOnWires } from './responses-world.ts'

/** Reading and writing it again would tear the large figure, shorten the other, and close the gaps. */
const odd = '"large": 12345678901234567890,  "one": 1.0, "escaped": "\\u0633\\/"'

const numbered = (number: number, more = odd): string =>
  `{"type": "response.output_text.delta", "sequence_number": ${number}, "item_id": "msg_up", "output_index": 0, "content_index": 0, "delta": "سلام", ${more}}`
const response = '"response":{"id":"resp_up","model":"m","output":[]}'
const created = `data: {"type":"response.created","sequence_number":0,${response}}\n\n`
const opened = (number: number): string =>
  [
    { type: 'response.output_item.added', item: { id: 'msg_up', type: 'message', content: [] } },
    {
      type: 'response.content_part.added',
      item_id: 'msg_up',
      content_index: 0,
      part: { type: 'output_text', text: '' },
    },
  ]
    .map(
      (event, at) =>
        `data: ${JSON.stringify({ ...event, output_index: 0, sequence_number: number + at })}\n\n`,
    )
    .join('')
const completed = `data: {"type":"response.completed","sequence_number":9,${response}}\n\n`

test('an event of the responses wire goes out to the letter where its number is ours too', async () => {
  await using at = await shareOnWires('responses')
  at.upstream.reply(stream([created, opened(1), `data: ${numbered(3)}\n\n`, completed]))
  const { text } = await respond(at.key, { stream: true })
  expect(text).toContain(`event: response.output_text.delta\ndata: ${numbered(3)}\n\n`)
})

test('an event of the responses wire that is out of step gets our number, and is the same otherwise', async () => {
  await using at = await shareOnWires('responses')
  at.upstream.reply(stream([created, opened(5), `data: ${numbered(7, '"glow": [1]')}\n\n`, completed]))
  const { text } = await respond(at.key, { stream: true })
  const [, data] = /^data: (.*"response.output_text.delta".*)$/m.exec(text) ?? []
  expect(JSON.parse(String(data))).toEqual(JSON.parse(numbered(3, '"glow": [1]')))
})

const says = `{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "سلام"}, ${odd}}`
const answerOf = (delta: string) =>
  stream([
    'data: {"type":"message_start","message":{"id":"msg_up","usage":{"input_tokens":3,"output_tokens":1}}}\n\n',
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    delta,
    'data: {"type":"content_block_stop","index":0}\n\n',
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n',
    'data: {"type":"message_stop"}\n\n',
  ])

test('an event of the messages wire goes out to the letter', async () => {
  await using at = await shareOnWires('messages')
  at.upstream.reply(answerOf(`data: ${says}\n\n`))
  const { text } = await message(at.key, { stream: true })
  expect(text).toContain(`event: content_block_delta\ndata: ${says}\n\n`)
})

test('an event that came in several lines goes out in one', async () => {
  await using at = await shareOnWires('messages')
  at.upstream.reply(answerOf(`data: ${says.replaceAll(', ', ',\ndata: ')}\n\n`))
  const { text } = await message(at.key, { stream: true })
  expect(text).toContain(`event: content_block_delta\ndata: ${says}\n\n`)
})
