/** A process that holds calls stands still while people talk: every call goes on or is ended, once, and its client is told which. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CallRow, callIdOf } from '#voice/realtime'
import { type ServerProcess, startProcess } from '../../harness/processes.ts'
import { soon, until } from '../../harness/until.ts'
import { boot, quietEnvironment, type World } from '../../harness/world.ts'
import { onceOpened } from '../../voice/once-taken.ts'
import { connect, type SocketCall } from '../../voice/socket-call.ts'
import { leaseMs } from './site.ts'
import { standStill, stop } from './stop.ts'

const env = { KHERAD_SECRET: 'a secret of all processes of these tests', KHERAD_LEASE_MS: String(leaseMs) }
const config = `
voice: { capacity: 8 }
webrtc: { ports: [0, 0], listen: [127.0.0.1] }
`
const callers = 4
/** A call whose process wakes learns within two of its ticks, of five seconds, that others have ended it. */
const toldMs = 15_000

let world: World
let host: ServerProcess
beforeAll(async () => {
  world = await boot({ roles: { api: true, worker: true }, env, config, credits: 100_000 })
  host = await startProcess({
    databaseUrl: world.app.config.databaseUrl!,
    config,
    env: { ...quietEnvironment, ...env, KHERAD_ROLE: 'voice', KHERAD_VOICE_ADDRESS: '127.0.0.1' },
  })
  const reachable = 'select from realtime.processes where address is not null'
  await until(async () => (await world.app.db.query({ text: reachable }, [])).length === 1)
})
afterAll(async () => {
  await host?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

interface Talk {
  call: SocketCall
  id: string
}

async function begin(): Promise<Talk> {
  const key = await world.key()
  const call = await onceOpened(() => connect(world, key.secret))
  await call.event('session.created')
  const [newest] = (await key.get('/v1/realtime/calls?limit=1')).body.data
  return { call, id: newest.id }
}

function ask({ call }: Talk): void {
  const content = [{ type: 'input_text', text: 'سلام' }]
  call.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  call.send({ type: 'response.create', response: { output_modalities: ['text'] } })
}

/** Asks, and waits for the answer; false where the call is over. */
async function isAnswered(talk: Talk): Promise<boolean> {
  const from = talk.call.events.length
  ask(talk)
  const over = talk.call.closed.then(() => 'over' as const)
  return (await Promise.race([talk.call.event('response.done', from).catch(() => 'over'), over])) !== 'over'
}

const rowOf = async ({ id }: Talk): Promise<CallRow> => {
  const text = 'select * from realtime.calls where call_id = $1'
  return (await world.app.db.query<CallRow>({ text }, [callIdOf(id)]))[0]!
}

/** How often the call was settled, and at what. */
const settlementsOf = ({ receipt_id }: CallRow) =>
  world.app.db.query<{ state: string; ambiguous: boolean; charged: bigint }>(
    { text: 'select state, ambiguous, charged from ledger.settlements where receipt_id = $1' },
    [receipt_id],
  )

test.for([1, 5, 20])(
  'the process of calls stands still for %i s in the middle of their answers',
  async (duration) => {
    const { held: before } = await world.balance()
    expect(before).toBe(0n)
    const talks = await Promise.all(Array.from({ length: callers }, begin))
    for (const talk of talks) expect(await isAnswered(talk)).toBe(true)

    for (const talk of talks) ask(talk)
    await standStill(() => stop(async () => [host.child.pid!]), duration * 1_000)
    // Who speaks on at once does not know that its process was away.
    for (const talk of talks) ask(talk)
    await pause(toldMs)

    const wentOn = await Promise.all(talks.map(isAnswered))
    for (const [at, talk] of talks.entries()) {
      const { ended_at: endedAt, reason } = await rowOf(talk)
      // Never a client that waits for a call which is over, nor one who talks in a call that was settled.
      expect([wentOn[at], endedAt === null], `call ${at}, ended as ${reason}`).toEqual([
        endedAt === null,
        wentOn[at],
      ])
      if (endedAt !== null) expect((await talk.call.closed).code).toBeGreaterThanOrEqual(1_000)
    }
    if (duration * 1_000 < leaseMs) expect(wentOn).toEqual(talks.map(() => true))
    console.log(
      `the process of calls, ${duration} s: ${wentOn.filter(Boolean).length} of ${callers} calls went on`,
    )

    for (const { call } of talks) call.close()
    for (const talk of talks) {
      const row = await until(async () => {
        const now = await rowOf(talk)
        return now.ended_at ? now : undefined
      }, soon * 3)
      expect(await settlementsOf(row)).toEqual([
        { state: row.reason === 'failed' ? 'failed' : 'completed', ambiguous: false, charged: row.charged },
      ])
      expect(row.charged, 'what was answered before is paid').toBeGreaterThan(0n)
      const steps = 'select from realtime.steps where call_id = $1'
      expect(await world.app.db.query({ text: steps }, [callIdOf(talk.id)])).toEqual([])
    }
    await world.settled()
    expect(await world.app.ledger.violations()).toEqual([])
    // The process takes calls as before.
    const next = await begin()
    expect(await isAnswered(next)).toBe(true)
    next.call.close()
    await next.call.closed
    await world.settled()
  },
)
