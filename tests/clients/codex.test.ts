/**
 * Codex, OpenAI's command-line agent. Its requests are replayed as version 0.169 sends them. If `CODEX` names its program (`npm install
 * @openai/codex` in some other folder), the program itself finishes a turn with a tool.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { framed, type Json } from '../text/responses-oracle.ts'
import { respond } from '../text/responses-world.ts'
import { call } from '../text/scripted-answer.ts'
import { bootSearching, type SearchWorld } from '../text/search-world.ts'

let at: SearchWorld
beforeAll(async () => {
  at = await bootSearching({ searches: false })
})
afterAll(() => at[Symbol.asyncDispose]())

const program = process.env['CODEX']
const calling = { calls: [call('call_1', 'exec_command', { cmd: 'echo seven-and-$((30 + 5))' })] }

test.runIf(program)('codex exec runs a command and ends with the answer', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'codex-'))
  try {
    await writeFile(path.join(home, 'config.toml'), configOf(`${at.world.url}/v1`))
    at.answers(calling, { text: 'It said seven-and-35.' })
    const env = { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home, KHERAD_KEY: at.key.secret }
    const running = promisify(execFile)(program!, ['exec', '--skip-git-repo-check', 'Say seven.'], {
      cwd: home,
      env,
    })
    running.child.stdin?.end()
    const { stdout } = await running
    expect(stdout.trim()).toBe('It said seven-and-35.')
    const { messages } = (await at.upstream.call(at.upstream.calls.length - 1)).body as Json
    expect(messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' })
    expect(messages.at(-1).content).toContain('seven-and-35')
  } finally {
    await rm(home, { recursive: true })
  }
})

/** As docs/guides/coding-agents.md has it. */
const configOf = (baseUrl: string): string => `
model = "test/model"
model_provider = "kherad"

[model_providers.kherad]
name = "Kherad"
base_url = "${baseUrl}"
env_key = "KHERAD_KEY"
wire_api = "responses"
`

/** What the program sends, with shorter texts and fewer tools of each kind. */
const request = (input: Json[], live: boolean): Json => ({
  model: 'test/model',
  stream: true,
  input: [
    message('developer', 'You are a coding agent running in the Codex CLI.'),
    message('developer', '<skills_instructions>…</skills_instructions>'),
    message('user', '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
    message('user', 'Say seven.'),
    ...input,
  ],
  tools: [
    {
      type: 'function',
      name: 'exec_command',
      description: 'Runs a command in a PTY, returning output or a session ID for ongoing interaction.',
      strict: false,
      parameters: {
        type: 'object',
        properties: { cmd: { type: 'string' }, yield_time_ms: { type: 'number' } },
        required: ['cmd'],
        additionalProperties: false,
      },
    },
    {
      type: 'namespace',
      name: 'multi_agent_v1',
      description: 'Tools for spawning and managing sub-agents.',
      tools: [
        {
          type: 'function',
          name: 'close_agent',
          description: 'Close an agent.',
          strict: false,
          parameters: {
            type: 'object',
            properties: { target: { type: 'string' } },
            required: ['target'],
            additionalProperties: false,
          },
        },
      ],
    },
    { type: 'web_search', external_web_access: live },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a1f9f2-060c-7530-8143-c640ed585961',
  client_metadata: { thread_id: '01a1f9f2-060c-7530-8143-c640ed585961', 'x-codex-turn-metadata': '{}' },
})
const message = (role: string, text: string): Json => ({
  type: 'message',
  id: 'msg_01a1f9f2-0640-7160-bc85-b1654cccf4fb',
  role,
  content: [{ type: 'input_text', text }],
})
const output = {
  type: 'function_call_output',
  id: 'fco_01a1f9f2-0760-7380-8075-a4147446a99e',
  call_id: 'call_1',
  output: 'Chunk ID: 01e6ca\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\nseven-and-35\n',
}
const headers = {
  accept: 'text/event-stream',
  originator: 'codex_exec',
  'session-id': '01a1f9f2-060c-7530-8143-c640ed585961',
  'x-codex-beta-features': 'remote_compaction_v2',
}

test.each([
  { wire: 'chat', live: false },
  { wire: 'responses', live: false },
  { wire: 'messages', live: false },
  { wire: 'chat', live: true },
] as const)(
  'its requests finish a turn with a tool by an upstream of $wire (live search: $live)',
  async ({ wire, live }) => {
    await using there = await bootSearching({ wire, searches: live })
    const searching = { calls: [call('call_0', 'web_search', { query: 'seven' })] }
    there.answers(...(live ? [searching] : []), { text: 'Let me see.', ...calling })
    const first = await respond(there.key, request([], live), headers)
    const unheard = wire === 'responses' ? [] : ['prompt_cache_key']
    expect(first.headers.get('x-ignored-fields')?.split(', ')).toEqual([
      'client_metadata',
      ...unheard,
      ...(live ? [] : ['tools.2']),
    ])
    const items = framed(first.text).at(-1)?.['response'].output as Json[]
    expect(items.at(-1)).toMatchObject({ type: 'function_call', name: 'exec_command', call_id: 'call_1' })
    there.answers({ text: 'It said seven-and-35.' })
    const last = await respond(there.key, request([...items, output], live), headers)
    expect(framed(last.text).at(-1)?.['response']).toMatchObject({
      status: 'completed',
      output_text: 'It said seven-and-35.',
    })
  },
)
