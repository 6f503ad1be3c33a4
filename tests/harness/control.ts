/**
 * The control socket of a server process that tests have started: through it a test lets time pass for this process, which otherwise goes by the
 * clocks of the machine. Imported before the server by the entry programs of tests; nothing in src knows of it.
 */
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Repetition, repetitions, steadyClock, systemClock } from '#platform/clock'

/** One line of JSON from a test, answered with an empty line when it is done. */
export interface ControlOrder {
  /** Lets this time pass, in steps of which each is a heartbeat long: what is repeated runs once at the end of each, heartbeats before all else. */
  passMs?: number
  /** The same for so many heartbeats. */
  passHeartbeats?: number
  /** Only the steady clock moves, by which leases are counted; dates stay. */
  onlySteady?: boolean
}

const heartbeat = 'heartbeat'
/** Of processes that repeat nothing, such as the parent of workers. */
const noHeartbeatMs = 5_000

const folder = process.env['TEST_CONTROL_FOLDER']
const alive = new Set<Repetition>()
const moved = { steadyMs: 0, systemMs: Number(process.env['TEST_MOVED_MS'] ?? 0) }

if (folder !== undefined) {
  takeClocks()
  open(path.join(folder, `${process.pid}.control`))
}

function takeClocks(): void {
  const [steady, system] = [steadyClock.nowMs, systemClock.nowMs]
  steadyClock.nowMs = () => steady() + moved.steadyMs
  systemClock.nowMs = () => system() + moved.systemMs
  const every = repetitions.every.bind(repetitions)
  repetitions.every = (everyMs, name, work) => {
    const made = every(everyMs, name, work)
    const stop = made.stop.bind(made)
    alive.add(made)
    made.stop = () => {
      alive.delete(made)
      return stop()
    }
    return made
  }
}

function open(place: string): void {
  const server = createServer((connection) => {
    connection.on('error', () => {})
    connection.unref()
    createInterface(connection).on('line', (line) => {
      pass(JSON.parse(line) as ControlOrder).then(
        () => connection.write('\n'),
        (error: unknown) => connection.destroy(error as Error),
      )
    })
  })
  // Where the process runs as somebody who may not write there, a test that asks for it finds nobody.
  server.on('error', () => {})
  server.listen(place).unref()
}

async function pass({ passMs, passHeartbeats = 0, onlySteady = false }: ControlOrder): Promise<void> {
  const stepMs = [...alive].find(({ name }) => name === heartbeat)?.everyMs ?? noHeartbeatMs
  for (let leftMs = passMs ?? passHeartbeats * stepMs; leftMs > 0; leftMs -= stepMs) {
    const byMs = Math.min(stepMs, leftMs)
    moved.steadyMs += byMs
    if (!onlySteady) moved.systemMs += byMs
    // For workers that this process starts from now on.
    process.env['TEST_MOVED_MS'] = String(moved.systemMs)
    const [beats, others] = [isHeartbeat(true), isHeartbeat(false)]
    await Promise.all(beats.map((one) => one.runIfDue()))
    await Promise.all(others.map((one) => one.runIfDue()))
  }
}

const isHeartbeat = (is: boolean): Repetition[] =>
  [...alive].filter(({ name }) => (name === heartbeat) === is)
