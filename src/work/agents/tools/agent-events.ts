/** Events that an agent's tools emit, each at most once per run. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'
import { type Event, type EventType, writeEvent } from '#platform/events'
import type { AgentCallApp } from '../app.ts'

declare module '#platform/events' {
  interface Events {
    'agent.lead': unknown
    'agent.handoff': unknown
  }
}

export type AgentEvent = Extract<EventType, 'agent.lead' | 'agent.handoff'>

/** The run that an event belongs to. */
export interface RunIdentity {
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

export class AgentEvents {
  readonly #app: Pick<AgentCallApp, 'clock' | 'db'>
  readonly #run: RunIdentity
  /** Events by type and by the `dedupeKey` of their calls: calls with an equal `dedupeKey` are one event. */
  readonly #events = new Map<string, { number: number; stored: Promise<boolean> }>()
  /** Types of the stored events, in order. */
  readonly types: AgentEvent[] = []

  constructor(app: Pick<AgentCallApp, 'clock' | 'db'>, run: RunIdentity) {
    this.#app = app
    this.#run = run
  }

  /** Resolves when the event is durable; false if the database could not be reached. Calls with an equal `dedupeKey` are one event. */
  emit(type: AgentEvent, payload: Record<string, unknown>, dedupeKey: string): Promise<boolean> {
    const key = `${type}:${dedupeKey}`
    const earlier = this.#events.get(key)
    const number = earlier?.number ?? this.#events.size + 1
    // The calls run one after the other: a second call waits for the result of the first.
    const stored = Promise.resolve(earlier?.stored ?? false).then(
      (done) => done || this.#emitOnce(type, payload, number),
    )
    this.#events.set(key, { number, stored })
    return stored
  }

  async #emitOnce(type: AgentEvent, payload: Record<string, unknown>, number: number): Promise<boolean> {
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
      ...payload,
    }
    const onceKey = `${type}:${runId}:${number}`
    const isStored = await this.#write({ accountId, projectId, type, data, onceKey }, now)
    if (isStored) this.types.push(type)
    return isStored
  }

  /** Stores an event in a separate transaction. If the reply of the commit is lost, the once-key makes the retry harmless. */
  async #write(event: Event, now: Date): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#app.db.tx((tx) => writeEvent(tx, event, now))
        return true
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        if (tries === maxTries) return false
        await pause(pauseMs)
      }
    }
  }
}
