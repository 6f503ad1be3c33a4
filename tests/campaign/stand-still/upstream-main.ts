/**
 * An upstream as a process that can be stopped: `node upstream-main.ts`. It prints its address and takes its time for every answer, so that a
 * stand-still meets calls at every point: as many milliseconds as stand at the end of a name (`long~9000`), else as it likes. `GET /v1/asked` says how
 * often it was asked by which name, which is the whole text of a prompt.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  chunk,
  done,
  fakeUpstream,
  json,
  type Script,
  stream,
  type UpstreamCall,
} from '../../harness/upstream.ts'

/** A red square of 64 by 64. */
const picture = process.argv[2]!
const words = 13
const usage = { prompt_tokens: 1, completion_tokens: words, total_tokens: words + 1 }
const asked: Record<string, number> = {}

const upstream = await fakeUpstream()
upstream.reply(async (call) => {
  if (call.path === '/v1/asked') return json(200, asked)
  const name = nameOf(call)
  asked[name] = (asked[name] ?? 0) + 1
  const ms = Number(/~(\d+)$/.exec(name)?.[1] ?? takes(asked))
  if (call.path.startsWith('/v1/images/')) {
    await pause(ms)
    return json(200, { data: [{ b64_json: picture }] })
  }
  return chat(call, name, ms)
})
process.stdout.write(`${upstream.url}\n`)

async function chat(call: UpstreamCall, name: string, ms: number): Promise<Script> {
  if (call.body?.['stream'] !== true) {
    await pause(ms)
    const message = { role: 'assistant', content: `answer to ${name}` }
    return json(200, {
      ...chunk({}),
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    })
  }
  const said = [`answer to ${name}`, ...Array.from({ length: words - 1 }, (_, at) => ` w${at}`)]
  const steps = said.flatMap((content) => [chunk({ content }), () => pause(ms / words)])
  return stream([...steps, chunk({}, 'stop'), { ...chunk({}), choices: [], usage }, done])
}

function nameOf({ body }: UpstreamCall): string {
  const { prompt, messages } = body as {
    prompt?: string
    messages?: { content: string | { text: string }[] }[]
  }
  if (prompt !== undefined) return prompt
  const content = messages!.at(-1)!.content
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

/** From 50 ms to two seconds, evenly. */
const takes = (asked: Record<string, number>): number => 50 + ((Object.keys(asked).length * 137) % 1_950)
