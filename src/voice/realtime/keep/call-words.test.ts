import { expect, test } from 'vitest'
import { CallConversation } from '../conversation.ts'
import type { ConversationItem, RealtimeEvent } from '../parts.ts'
import { CallWords, maxLetters, maxLettersOfCall, maxRows } from './call-words.ts'
import type { SpokenWords } from './transcript-store.ts'

/** A conversation whose words are written to rows of its own. */
function keeping({ away = 0 }: { away?: number } = {}) {
  const rows = new Map<number, SpokenWords>()
  let atMs = 0
  let failures = away
  const words = new CallWords({
    nowMs: () => atMs,
    async write(spoken) {
      if (failures-- > 0) throw Object.assign(new Error('away'), { code: '57P01' })
      for (const one of spoken) {
        if (one.words === null) rows.delete(one.position)
        else rows.set(one.position, { ...one })
      }
      return true
    },
    log: { error() {} },
    callId: 'test',
  })
  const conversation = new CallConversation(
    (event) => words.event(event, conversation),
    (id) => words.removed(id),
  )
  const emit = (event: RealtimeEvent) => words.event(event, conversation)
  return {
    ...{ words, conversation, emit },
    moveMs: (ms: number) => {
      atMs += ms
    },
    say(id: string, role: 'user' | 'assistant', text: string) {
      const item: ConversationItem = {
        ...{ id, type: 'message', status: 'completed', role },
        content: [{ type: 'output_text', text }],
      }
      conversation.add(item)
      conversation.done(id)
      return item
    },
    async kept() {
      await words.write()
      return [...rows.values()].sort((a, b) => a.position - b.position)
    },
  }
}

test('what is heard later stands where it was spoken, at the time at which its speech began', async () => {
  const call = keeping()
  call.moveMs(500)
  call.emit({ type: 'input_audio_buffer.speech_started', item_id: 'a' })
  call.moveMs(1_500)
  const heard = call.say('a', 'user', '')
  heard.content = [{ type: 'input_audio', transcript: null }]
  call.say('b', 'assistant', 'بله')
  call.emit({
    type: 'conversation.item.input_audio_transcription.completed',
    item_id: 'a',
    transcript: 'می‌شنوید؟',
  })
  expect(await call.kept()).toEqual([
    { position: 0, role: 'user', words: 'می‌شنوید؟', at_ms: 500 },
    { position: 1, role: 'assistant', words: 'بله', at_ms: 2_000 },
  ])
})

test('what is truncated is kept as it was heard, what is removed is not kept, and what there is no room for in the conversation stays', async () => {
  const call = keeping()
  const said = call.say('a', 'assistant', 'یک دو سه')
  call.say('b', 'user', 'نه')
  await call.kept()
  said.content = [{ type: 'output_audio', transcript: 'یک دو' }]
  call.emit({ type: 'conversation.item.truncated', item_id: 'a' })
  call.conversation.remove('b')
  expect((await call.kept()).map(({ words }) => words)).toEqual(['یک دو'])
  for (let at = 0; at < 510; at++) call.say(`more ${at}`, 'user', 'x')
  expect(call.conversation.get('a')).toBeUndefined()
  expect(await call.kept()).toHaveLength(511)
})

test('the longest item, the most items and the longest call are bounds, and no letter breaks the database', async () => {
  const long = keeping()
  long.say('a', 'user', 'x'.repeat(maxLetters))
  long.say('b', 'user', 'x'.repeat(maxLetters + 1))
  long.say('c', 'user', '\0 \ud800')
  long.say('d', 'user', ' \0\n')
  expect((await long.kept()).map(({ words }) => words!.length)).toEqual([maxLetters, maxLetters, 1])
  for (let at = 0; at < maxLettersOfCall / maxLetters; at++)
    long.say(`e${at}`, 'user', 'y'.repeat(maxLetters))
  const letters = (await long.kept()).reduce((sum, { words }) => sum + words!.length, 0)
  expect(letters).toBe(maxLettersOfCall)
  const many = keeping()
  for (let at = 0; at < maxRows + 1; at++) many.say(`${at}`, 'user', 'x')
  expect(await many.kept()).toHaveLength(maxRows)
})

test('where the database is away, words wait and are written when it is back', async () => {
  const call = keeping({ away: 1 })
  call.say('a', 'user', 'سلام')
  expect(await call.kept()).toEqual([])
  expect(await call.kept()).toHaveLength(1)
})
