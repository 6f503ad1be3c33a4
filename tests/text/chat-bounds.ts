/** Every bound of contract section 4, chat completions: what is just accepted and what is not. Lengths are counted in characters. */

export type Body = Record<string, unknown>

const user = { role: 'user', content: 'hello' }
const call = (id: string, more: Body = {}, fn: Body = {}): Body => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}', ...fn },
  ...more,
})
const calling = (...calls: Body[]): Body[] => [
  user,
  { role: 'assistant', content: null, tool_calls: calls },
  ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
]
const tool = (more: Body = {}): Body => ({
  type: 'function',
  function: { name: 'look', parameters: { type: 'object' }, ...more },
})
const many = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index))
/** Characters beyond ASCII and beyond one UTF-16 unit. */
export const persian = (length: number): string => 'سلام'.repeat(length).slice(0, length)
export const emoji = (length: number): string => '🕊'.repeat(length)
const spaces = (length: number): string => `{${' '.repeat(length - 2)}}`

export interface Bound {
  what: string
  param: string
  /** Accepted. */
  edges: Body[]
  /** Refused with 400 and `param`. */
  past: Body[]
}

const numbers = (field: string, min: number, max: number, step: number, integer: boolean): Bound => ({
  what: `${field} from ${min} to ${max}`,
  param: field,
  edges: [{ [field]: min }, { [field]: max }],
  past: [
    { [field]: min - step },
    { [field]: max + step },
    { [field]: '1' },
    { [field]: [1] },
    ...(integer ? [{ [field]: 1.5 }] : []),
  ],
})
const safe = Number.MAX_SAFE_INTEGER

export const bounds: Bound[] = [
  {
    what: 'messages 1 to 1000',
    param: 'messages',
    edges: [{ messages: [user] }, { messages: many(1000, () => ({ ...user, content: 'a' })) }],
    past: [
      { messages: [] },
      { messages: many(1001, () => user) },
      { messages: undefined },
      { messages: 'hello' },
      { messages: { 0: user } },
      { messages: null },
    ],
  },
  {
    what: 'role is one of five',
    param: 'messages.0.role',
    edges: ['system', 'developer', 'user'].map((role) => ({ messages: [{ role, content: 'a' }, user] })),
    past: ['robot', 'User', '', null, 5].map((role) => ({ messages: [{ role, content: 'a' }] })),
  },
  {
    what: 'a message has a role',
    param: 'messages.0.role',
    edges: [],
    past: [{ messages: [{ content: 'a' }] }],
  },
  {
    what: 'a message is an object',
    param: 'messages.1',
    edges: [],
    past: [{ messages: [user, 'a'] }, { messages: [user, null] }],
  },
  {
    what: 'content is a string, parts or null',
    param: 'messages.0.content',
    edges: [
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
      { messages: [{ role: 'assistant', content: null }, user] },
    ],
    past: [
      { messages: [{ role: 'user', content: 5 }] },
      { messages: [{ role: 'user', content: { type: 'text' } }] },
    ],
  },
  {
    what: 'a part has a known type',
    param: 'messages.0.content.0.type',
    edges: [],
    past: [
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      { messages: [{ role: 'user', content: [{ text: 'a' }] }] },
    ],
  },
  {
    what: 'an audio part is wav or mp3',
    param: 'messages.0.content.0.input_audio.format',
    edges: [],
    past: [
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }] },
        ],
      },
    ],
  },
  {
    what: 'tool_call_id at most 200',
    param: 'messages.2.tool_call_id',
    edges: [{ messages: calling(call('i'.repeat(200))) }, { messages: calling(call(emoji(200))) }],
    past: [201].flatMap((length) =>
      ['i', 'ش', '🕊'].map((sign) => ({
        messages: [
          ...calling(call('a')).slice(0, 2),
          { role: 'tool', tool_call_id: sign.repeat(length), content: 'ok' },
        ],
      })),
    ),
  },
  {
    what: 'tool_calls at most 128',
    param: 'messages.1.tool_calls',
    edges: [{ messages: calling(...many(128, (index) => call(`c${index}`))) }],
    past: [{ messages: calling(...many(129, (index) => call(`c${index}`))) }],
  },
  {
    what: 'tool call id 1 to 200',
    param: 'messages.1.tool_calls.0.id',
    edges: [{ messages: calling(call('i')) }, { messages: calling(call(persian(200))) }],
    past: [{ messages: calling(call('')) }, { messages: calling(call('i'.repeat(201))) }],
  },
  {
    what: 'tool call index 0 to 127',
    param: 'messages.1.tool_calls.0.index',
    edges: [{ messages: calling(call('i', { index: 0 })) }, { messages: calling(call('i', { index: 127 })) }],
    past: [-1, 128, 0.5, '0'].map((index) => ({ messages: calling(call('i', { index })) })),
  },
  {
    what: 'tool call type is function',
    param: 'messages.1.tool_calls.0.type',
    edges: [],
    past: [
      { messages: calling(call('i', { type: 'custom' })) },
      { messages: calling(call('i', { type: undefined })) },
    ],
  },
  {
    what: 'tool call arguments at most 1,000,000',
    param: 'messages.1.tool_calls.0.function.arguments',
    edges: [{ messages: calling(call('i', {}, { arguments: spaces(1_000_000) })) }],
    past: [
      { messages: calling(call('i', {}, { arguments: spaces(1_000_001) })) },
      { messages: calling(call('i', {}, { arguments: {} })) },
    ],
  },
  {
    what: 'reasoning_details at most 100 objects',
    param: 'messages.1.reasoning_details',
    edges: [many(100, () => ({})), many(5_000, () => ({ type: 'reasoning.text', text: 'a', index: 0 }))].map(
      (details) => ({
        messages: [user, { role: 'assistant', content: 'a', reasoning_details: details }, user],
      }),
    ),
    past: [101, 33_000].map((count) => ({
      messages: [user, { role: 'assistant', content: 'a', reasoning_details: many(count, () => ({})) }],
    })),
  },
  {
    what: 'tools at most 128',
    param: 'tools',
    edges: [{ tools: [] }, { tools: many(128, (index) => tool({ name: `look${index}` })) }],
    past: [
      { tools: many(129, (index) => tool({ name: `look${index}` })) },
      { tools: tool() },
      { tools: 'look' },
    ],
  },
  {
    what: 'tool description at most 16000',
    param: 'tools.0.function.description',
    edges: [
      { tools: [tool({ description: persian(16_000) })] },
      { tools: [tool({ description: emoji(4_000) + 'a'.repeat(12_000) })] },
    ],
    past: [
      { tools: [tool({ description: persian(16_001) })] },
      { tools: [tool({ description: emoji(16_001) })] },
    ],
  },
  {
    what: 'tool name is required',
    param: 'tools.0.function.name',
    edges: [],
    past: [{ tools: [tool({ name: undefined })] }, { tools: [tool({ name: 5 })] }],
  },
  {
    what: 'tool parameters are an object',
    param: 'tools.0.function.parameters',
    edges: [],
    past: [{ tools: [tool({ parameters: undefined })] }, { tools: [tool({ parameters: [] })] }],
  },
  {
    what: 'tool_choice names a mode or a tool that is there',
    param: 'tool_choice',
    edges: [
      { tools: [tool()], tool_choice: 'auto' },
      { tool_choice: 'none' },
      { tools: [tool()], tool_choice: { type: 'function', function: { name: 'look' } } },
    ],
    past: [{ tool_choice: 'sometimes' }, { tool_choice: 5 }, { tool_choice: 'required' }],
  },
  {
    what: 'response_format has a known type',
    param: 'response_format.type',
    edges: [{ response_format: { type: 'text' } }, { response_format: { type: 'json_object' } }],
    past: [{ response_format: { type: 'xml' } }, { response_format: {} }],
  },
  {
    what: 'json_schema description at most 16000',
    param: 'response_format.json_schema.description',
    edges: [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object' }, description: persian(16_000) },
        },
      },
    ],
    past: [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object' }, description: persian(16_001) },
        },
      },
    ],
  },
  {
    what: 'json_schema has a schema',
    param: 'response_format.json_schema.schema',
    edges: [],
    past: [{ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }],
  },
  numbers('max_tokens', 1, 32_768, 1, true),
  numbers('max_completion_tokens', 1, 32_768, 1, true),
  numbers('temperature', 0, 2, 0.01, false),
  numbers('top_p', 0, 1, 0.01, false),
  numbers('top_k', 0, safe, 1, true),
  numbers('repetition_penalty', 0, 2, 0.01, false),
  numbers('seed', -safe, safe, 1, true),
  numbers('frequency_penalty', -2, 2, 0.01, false),
  numbers('presence_penalty', -2, 2, 0.01, false),
  { what: 'n is 1', param: 'n', edges: [{ n: 1 }], past: [{ n: 0 }, { n: 2 }, { n: 1.5 }, { n: '1' }] },
  {
    what: 'stream is a boolean',
    param: 'stream',
    edges: [{ stream: false }],
    past: [{ stream: 'yes' }, { stream: 1 }],
  },
  {
    what: 'include_usage is a boolean',
    param: 'stream_options.include_usage',
    edges: [],
    past: [{ stream_options: { include_usage: 'yes' } }],
  },
  {
    what: 'parallel_tool_calls is a boolean',
    param: 'parallel_tool_calls',
    edges: [{ parallel_tool_calls: false }],
    past: [{ parallel_tool_calls: 'no' }],
  },
  {
    what: 'stop is text or a list of it',
    param: 'stop',
    edges: [{ stop: 'x' }, { stop: ['x', 'y'] }],
    past: [{ stop: 5 }, { stop: {} }],
  },
  {
    what: 'reasoning.max_tokens from 1 to 32768',
    param: 'reasoning.max_tokens',
    edges: [1, 32_768].map((max_tokens) => ({ model: 'sandbox/reasoner', reasoning: { max_tokens } })),
    past: [0, 32_769, 1.5, '1'].map((max_tokens) => ({
      model: 'sandbox/reasoner',
      reasoning: { max_tokens },
    })),
  },
  {
    what: 'reasoning.exclude is a boolean',
    param: 'reasoning.exclude',
    edges: [{ model: 'sandbox/reasoner', reasoning: { exclude: true } }],
    past: [{ reasoning: { exclude: 'yes' } }],
  },
  {
    what: 'reasoning.enabled is a boolean',
    param: 'reasoning.enabled',
    edges: [{ model: 'sandbox/reasoner', reasoning: { enabled: true } }],
    past: [{ reasoning: { enabled: 0 } }],
  },
  {
    what: 'an effort is one that the model supports',
    param: 'reasoning_effort',
    edges: [{ model: 'sandbox/reasoner', reasoning_effort: 'low' }],
    past: [{ model: 'sandbox/reasoner', reasoning_effort: 'enormous' }, { reasoning_effort: 5 }],
  },
  {
    what: 'efforts do not disagree',
    param: 'reasoning.effort',
    edges: [{ model: 'sandbox/reasoner', reasoning_effort: 'low', reasoning: { effort: 'low' } }],
    past: [{ model: 'sandbox/reasoner', reasoning_effort: 'low', reasoning: { effort: 'high' } }],
  },
  {
    what: 'model is text of at most 200',
    param: 'model',
    edges: [{ model: 'sandbox/fast' }],
    past: [
      { model: 'm'.repeat(201) },
      { model: persian(201) },
      { model: emoji(201) },
      { model: 5 },
      { model: null },
    ],
  },
]
