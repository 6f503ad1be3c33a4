import { expect, test } from 'vitest'
import type { MessageParam } from './schema.ts'
import { upstreamMessages } from './upstream-messages.ts'

test('messages without a call of a tool that the platform ran go to an upstream of this wire as they came', () => {
  const messages: MessageParam[] = [
    { role: 'user', content: 'سلام' },
    { role: 'assistant', content: 'سلام، چه کنم؟' },
    { role: 'user', content: [{ type: 'text', text: 'هوای تهران؟' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'آفتابی' }] },
  ]
  expect(upstreamMessages(messages)).toEqual(messages)
})
