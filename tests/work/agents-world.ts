/** What the tests of agents share. */
import { expect } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import type { World } from '../harness/world.ts'
import type { UpstreamWorld } from '../text/chat-world.ts'
import { type ScriptedAnswer, says } from '../text/scripted-answer.ts'

export const path = '/v1/agents'
export const nowhere = `${path}/00000000-0000-7000-8000-000000000000`

export const create = (
  key: Client,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => key.post(path, { name: 'Helper', ...body }, headers)

/** The path of a new agent. */
export async function agentOf(key: Client, body: Record<string, unknown> = {}): Promise<string> {
  const made = await create(key, body)
  expect(made.status, made.text).toBe(201)
  return `${path}/${made.body.id}`
}

export const run = (
  key: Client,
  agent: string,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => key.post(`${agent}/runs`, { input: 'hello there', ...body }, headers)

/** The model answers so, one after another, and `over` when it is asked more often. */
export function answers({ upstream }: UpstreamWorld, ...replies: ScriptedAnswer[]): void {
  const left = [...replies]
  upstream.calls.length = 0
  upstream.reply((call) => says('chat', left.shift() ?? { text: 'over' }, call))
}

export interface OutboxEvent {
  type: string
  project_id: string
  once_key: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  data: any
}

/** What the outbox has of a run, in its order. */
export const eventsOf = (world: World, runId: string): Promise<OutboxEvent[]> =>
  world.app.db.query<OutboxEvent>(
    {
      text: `select type, project_id, once_key, data from events.outbox
        where account_id = $1 and data->>'run_id' = $2 order by once_key`,
    },
    [world.account, runId],
  )
