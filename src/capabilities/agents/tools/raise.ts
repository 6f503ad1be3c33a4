/** What an agent's tools tell the outside, each thing once in the life of its run. */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { isDatabaseAway } from '#platform/db'
import { type Event, type EventType, tell } from '#platform/events'

declare module '#platform/events' {
  interface Events {
    'agent.lead': unknown
    'agent.handoff': unknown
  }
}

export type AgentEvent = Extract<EventType, 'agent.lead' | 'agent.handoff'>

/** Whose run it is, for whoever hears of it. */
export interface RunOf {
  accountId: string
  projectId: string
  agentId: string
  agentName: string
  /** Id of the request and its receipt. */
  runId: string
  customerId: string | undefined
  referenceId: string | undefined
}

const maxTries = 4
const pauseMs = 250

export class Raised {
  readonly #app: App
  readonly #run: RunOf
  /** By what they say: the same said again is not another event. */
  readonly #events = new Map<string, { number: number; told: Promise<boolean> }>()
  /** What was told, in its order. */
  readonly types: AgentEvent[] = []

  constructor(app: App, run: RunOf) {
    this.#app = app
    this.#run = run
  }

  /** Resolves when the event is durable; false where the database could not be reached. `same` names what it says. */
  raise(type: AgentEvent, said: Record<string, unknown>, same: string): Promise<boolean> {
    const key = `${type}:${same}`
    const earlier = this.#events.get(key)
    const number = earlier?.number ?? this.#events.size + 1
    // One after the other: the second finds what became of the first.
    const told = Promise.resolve(earlier?.told ?? false).then(
      (done) => done || this.#tell(type, said, number),
    )
    this.#events.set(key, { number, told })
    return told
  }

  async #tell(type: AgentEvent, said: Record<string, unknown>, number: number): Promise<boolean> {
    const { accountId, projectId, agentId, agentName, runId, customerId, referenceId } = this.#run
    const now = new Date(this.#app.clock.nowMs())
    const data = {
      agent_id: agentId,
      agent_name: agentName,
      project_id: projectId,
      run_id: runId,
      customer_id: customerId ?? null,
      reference_id: referenceId ?? null,
      created_at: now.toISOString(),
      ...said,
    }
    const onceKey = `${type}:${runId}:${number}`
    const isTold = await this.#write({ accountId, projectId, type, data, onceKey }, now)
    if (isTold) this.types.push(type)
    return isTold
  }

  /** In a transaction of its own. Should its commit's reply be lost, the once-key makes the next try harmless. */
  async #write(event: Event, now: Date): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#app.db.tx((tx) => tell(tx, event, now))
        return true
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        if (tries === maxTries) return false
        await pause(pauseMs)
      }
    }
  }
}
