import { expect, test } from 'vitest'
import type { Model } from '#core/models'
import { sandboxModels } from '#sandbox'
import type { ConversationItem, FunctionTool } from '../../parts.ts'
import { maxAnswerTokens, type PromptOptions, turnOf } from './prompt.ts'

const fast = sandboxModels.find(({ id }) => id === 'sandbox/fast') as Model
const omni = sandboxModels.find(({ id }) => id === 'sandbox/omni') as Model
const tool: FunctionTool = { name: 'weather', description: '', parameters: {} }

const asked = (items: ConversationItem[], more: Partial<PromptOptions> = {}): PromptOptions => ({
  items,
  instructions: [],
  isSpoken: false,
  tools: [],
  toolChoice: 'auto',
  maxOutputTokens: 'inf',
  ...more,
})
const said = (id: string, text: string, role: 'user' | 'assistant' = 'user'): ConversationItem => ({
  id,
  type: 'message',
  status: 'completed',
  role,
  content: [{ type: 'input_text', text }],
})
const called = (id: string): ConversationItem => ({
  id: `call ${id}`,
  type: 'function_call',
  status: 'completed',
  content: [],
  call_id: id,
  name: 'weather',
  arguments: '{}',
})
const answered = (id: string): ConversationItem => ({
  id: `output ${id}`,
  type: 'function_call_output',
  status: 'completed',
  content: [],
  call_id: id,
  output: id,
})
const rolesOf = (items: ConversationItem[], model = fast) =>
  turnOf(asked(items), model).messages.map(({ role }) => role)

test('calls of tools without their output, and outputs without their call, are left out', () => {
  expect(rolesOf([answered('a'), said('1', 'سلام'), called('b'), called('c'), answered('c')])).toEqual([
    'user',
    'assistant',
    'tool',
  ])
})

test('two calls at once are one message of the assistant, with what it said before', () => {
  const items = [said('1', 'لحظه‌ای', 'assistant'), called('a'), called('b'), answered('a'), answered('b')]
  const { messages } = turnOf(asked(items), fast)
  expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool'])
  expect(messages[0]!.toolCalls).toHaveLength(2)
})

test('the newest 32 KB are sent, and the last item whatever its size', () => {
  const long = 'a'.repeat(16_384)
  expect(rolesOf([said('1', 'old'), said('2', long), said('3', long)], omni)).toEqual(['user', 'user'])
  expect(rolesOf([said('1', 'old'), said('2', 'a'.repeat(40_000))], omni)).toEqual(['user'])
  // The output of a tool is never sent without its call.
  expect(rolesOf([called('a'), answered('a'), said('2', long), said('3', long.slice(1))], omni)).toEqual([
    'user',
    'user',
  ])
})

test('what is not heard in words is not sent', () => {
  const silent: ConversationItem = {
    ...said('1', ''),
    content: [{ type: 'input_audio', transcript: null }],
  }
  expect(rolesOf([silent])).toEqual([])
})

test('a picture goes to a model that takes it, and is named to one that does not', () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const item: ConversationItem = {
    ...said('1', ''),
    content: [{ type: 'input_image', image_url: `data:image/png;base64,${png}` }],
  }
  const contentOf = (model: Model) => turnOf(asked([item]), model).messages[0]!.content[0]
  expect(contentOf(omni)).toMatchObject({ type: 'image', media: { mediaType: 'image/png', width: 1 } })
  expect(contentOf(fast)).toMatchObject({ type: 'text' })
})

test('an answer has at most 1,200 tokens, and fewer where the session says so', () => {
  const limit = (maxOutputTokens: number | 'inf') =>
    turnOf(asked([], { maxOutputTokens }), fast).requestedOutputTokens
  expect([limit('inf'), limit(4_096), limit(1)]).toEqual([maxAnswerTokens, maxAnswerTokens, 1])
})

test('a tool is chosen as the session says, and none is sent where it says none', () => {
  const turn = (toolChoice: PromptOptions['toolChoice']) =>
    turnOf(asked([], { tools: [tool], toolChoice }), fast)
  expect(turn('auto').toolChoice).toEqual({ type: 'auto' })
  expect(turn('required').toolChoice).toEqual({ type: 'required' })
  expect(turn({ name: 'weather' }).toolChoice).toEqual({ type: 'tool', name: 'weather' })
  expect(turn('none')).toMatchObject({ tools: [], toolChoice: { type: 'auto' } })
})

test('only what is spoken has the rules of speech', () => {
  const system = (isSpoken: boolean) =>
    JSON.stringify(turnOf(asked([], { isSpoken, instructions: ['', 'تو راهنمایی.'] }), fast).messages)
  expect(system(true)).toMatch(/read aloud.*تو راهنمایی\./)
  expect(system(false)).not.toMatch(/read aloud/)
})
