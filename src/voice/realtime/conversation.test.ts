import { expect, test } from 'vitest'
import { CallConversation, maxConversationBytes, maxItems } from './conversation.ts'
import type { ConversationItem, RealtimeEvent } from './parts.ts'

const said = (id: string, text = 'سلام'): ConversationItem => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

function conversation() {
  const events: RealtimeEvent[] = []
  const talk = new CallConversation((event) => events.push(structuredClone(event)))
  const deleted = () =>
    events.filter(({ type }) => type === 'conversation.item.deleted').map((event) => event['item_id'])
  return { talk, events, deleted, ids: () => talk.items.map(({ id }) => id) }
}

test('an item stands behind the one that is named, at the front for root, and else at the end, and is announced there', () => {
  const { talk, events, ids } = conversation()
  talk.add(said('a'))
  talk.add(said('b'))
  talk.add(said('c'), 'a')
  talk.add(said('d'), 'root')
  talk.add(said('e'), 'nobody')
  expect(ids()).toEqual(['d', 'a', 'c', 'b', 'e'])
  expect(events.map((event) => event['previous_item_id'])).toEqual([null, 'a', 'a', null, 'b'])
  expect(events[2]).toMatchObject({ type: 'conversation.item.added', item: said('c') })
})

test('a conversation keeps 500 items, and one more costs the oldest, which the client is told', () => {
  const { talk, deleted, ids } = conversation()
  for (let at = 0; at < maxItems; at++) talk.add(said(`i${at}`))
  expect(deleted()).toEqual([])
  talk.add(said('one more'))
  expect(deleted()).toEqual(['i0'])
  expect(ids()).toHaveLength(maxItems)
  expect(talk.get('i0')).toBeUndefined()
})

test('a conversation keeps 2 MB of JSON, and one byte more costs the oldest, however it came', () => {
  const { talk, deleted } = conversation()
  const frame = Buffer.byteLength(JSON.stringify(said('x', '')))
  talk.add(said('a', '-'.repeat(maxConversationBytes / 2 - frame)))
  const growing = said('b', '-'.repeat(maxConversationBytes / 2 - frame))
  talk.add(growing)
  expect(deleted()).toEqual([])
  growing.content = [{ type: 'input_text', text: '-'.repeat(maxConversationBytes / 2 - frame + 1) }]
  talk.done('b')
  expect(deleted()).toEqual(['a'])
  expect(talk.items).toEqual([growing])
})

test('what was removed takes no room, and removing or finishing what is not there says nothing', () => {
  const { talk, deleted, events } = conversation()
  const half = '-'.repeat(maxConversationBytes / 2)
  for (const id of ['a', 'b', 'c', 'd']) {
    talk.add(said(id, half))
    talk.remove(id)
  }
  expect(deleted()).toEqual(['a', 'b', 'c', 'd'])
  const told = events.length
  talk.remove('a')
  talk.done('a')
  expect(events).toHaveLength(told)
})
