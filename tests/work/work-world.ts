/** What the tests of durable work share: a scripted pipeline over the fake upstream. */

import type { Message } from '#core/turn'
import {
  type PipelineResult,
  type Pipelines,
  type Plan,
  pipelinesOf,
  type StepContext,
  type Task,
} from '#work/pipelines'
import type { Client, Seen } from '../harness/client.ts'
import { startMs, until } from '../harness/until.ts'
import { fakeUpstream } from '../harness/upstream.ts'
import { boot, upstreamConfig, type WorldOptions } from '../harness/world.ts'
import type { UpstreamWorld } from '../text/chat-world.ts'

export const path = '/v1/work'
export const input = 'Write about the sun, please.'

export type Script = (context: StepContext) => Promise<PipelineResult | undefined>

export interface Stage {
  pipelines: Pipelines
  /** What the pipelines do with a task of this input; those that nobody scripted ask once and hand over what was said. */
  play(input: string, script: Script, plan?: Partial<Plan>): void
  /** The tasks that were planned, newest last. */
  planned: Task[]
}

export const whole: PipelineResult = { isComplete: true, words: { fa: 'آماده است.', en: 'It is ready.' } }
export const cut: PipelineResult = {
  isComplete: false,
  words: { fa: 'بخشی نیست.', en: 'A part is missing.' },
}

export const ask = (context: StepContext, step: string, text = step, maxOutputTokens = 100) =>
  context.ask(step, { messages: [userMessage(text)], maxOutputTokens })

const userMessage = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

export const keep = (context: StepContext, file: string, text: string, mediaType = 'text/markdown') =>
  context.saveFile({ path: file, bytes: Buffer.from(text), mediaType, title: file })

/** What one question of `ask` may cost at most is covered by this. */
export const onePlan: Plan = {
  asks: [{ count: 1, promptBytes: 400, maxOutputTokens: 100 }],
  searches: 0,
  reads: 0,
}

const usual: Script = async (context) => {
  const { text } = await ask(context, 'draft')
  await context.progress(50, { fa: 'نیمه', en: 'Half' })
  await keep(context, 'report.md', text)
  return whole
}

export function openStage(): Stage {
  const scripts = new Map<string, { script: Script; plan: Partial<Plan> }>()
  const planned: Task[] = []
  const pipeline = {
    plan(task: Task): Plan {
      planned.push(task)
      return { ...onePlan, ...scripts.get(task.input)?.plan }
    },
    run: async (context: StepContext) =>
      (await (scripts.get(context.task.input)?.script ?? usual)(context)) ?? whole,
  }
  return {
    pipelines: pipelinesOf(() => pipeline),
    play: (of, script, plan = {}) => void scripts.set(of, { script, plan }),
    planned,
  }
}

export interface WorkWorld extends UpstreamWorld, Stage {}

export async function bootWork(
  asked: Omit<WorldOptions, 'pipelines'> & { rest?: string } = {},
): Promise<WorkWorld> {
  const { rest = '', ...more } = asked
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const stage = openStage()
  const config = upstreamConfig(upstream.url, { rest })
  const world = stack.use(await boot({ config, ...more, pipelines: stage.pipelines }))
  const key = await world.key()
  const open = stack.move()
  return { ...stage, world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

export const create = (
  key: Client,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => key.post(path, { kind: 'research', input, ...body }, headers)

export const read = (key: Client, id: string, headers: Record<string, string> = {}): Promise<Seen> =>
  key.get(`${path}/${id}`, headers)

export const cancel = (key: Client, id: string, headers: Record<string, string> = {}): Promise<Seen> =>
  key.request('POST', `${path}/${id}/cancel`, undefined, headers)

export const fileOf = (key: Client, id: string, query: string, headers: Record<string, string> = {}) =>
  key.raw('GET', `${path}/${id}/files?${query}`, undefined, headers)

const ends = ['succeeded', 'failed', 'cancelled']

/** The run, once it has ended. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export const ended = (key: Client, id: string, timeoutMs = startMs): Promise<any> =>
  until(async () => {
    const { body } = await read(key, id)
    return ends.includes(body.status) ? body : undefined
  }, timeoutMs)

export interface SeenEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  data: any
}

/** The events of a finished stream. */
export const eventsOf = (text: string): SeenEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      return { event: line('event'), id: line('id'), data: JSON.parse(line('data')) }
    })
