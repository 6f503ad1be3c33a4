/**
 * How much slower this machine is than the reference, on which the budgets of the tests were measured: machines of one kind differ by several
 * times from day to day.
 */
import pg from 'pg'
import { processorMsOf } from './processor-time.ts'

/** Milliseconds of one round on the reference: two quiet cores. */
const reference = { nodeMs: 30, postgresMs: 55 }
const rounds = 6

export interface MachineFactor {
  /** By processor time, whatever runs beside: budgets are multiplied by it. 1 on the reference, 2 on a machine that needs twice as long. */
  processor: number
  /** By the clock, with what runs beside: timeouts are multiplied by it. */
  clock: number
}

/** Measures for about a second. `url` is a database in which anything may be computed. */
export async function measureMachine(url: string): Promise<MachineFactor> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const node = await measure(process.pid, computeInNode)
    const postgres = await measure(rows[0]!.pid, () => client.query(computeInPostgres))
    // `roundMs` is compared with it while the run goes on.
    process.env['KHERAD_NODE_ROUND_MS'] = String(node.processorMs)
    const factor = (nodeMs: number, postgresMs: number): number =>
      Math.round(50 * (nodeMs / reference.nodeMs + postgresMs / reference.postgresMs)) / 100
    return {
      processor: factor(node.processorMs, postgres.processorMs),
      clock: factor(node.clockMs, postgres.clockMs),
    }
  } finally {
    await client.end()
  }
}

/** Milliseconds of a round: of the processor, on the average, and by the clock, the median. */
async function measure(pid: number, work: () => unknown): Promise<{ processorMs: number; clockMs: number }> {
  await work()
  const beforeMs = processorMsOf(pid)
  const clocks: number[] = []
  for (let round = 0; round < rounds; round++) {
    const beganMs = performance.now()
    await work()
    clocks.push(performance.now() - beganMs)
  }
  const clockMs = clocks.toSorted((one, other) => one - other)[rounds / 2]!
  const usedMs = processorMsOf(pid) - beforeMs
  // A PostgreSQL elsewhere shows nothing of its processor.
  return { processorMs: usedMs > 0 ? usedMs / rounds : clockMs, clockMs }
}

/** How much slower Node is than on the reference, where one of its rounds takes so many milliseconds of processor time. */
export const nodeFactor = (ms: number): number => ms / reference.nodeMs

/** Milliseconds of processor time that one round of Node takes now: a machine may become slower in the midst of a run. */
export function roundMs(): number {
  const before = process.threadCpuUsage()
  computeInNode()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** What servers do often: build objects, write and read JSON, compare texts. */
function computeInNode(): number {
  let length = 0
  for (let round = 0; round < 240; round++) {
    const rows = Array.from({ length: 200 }, (_, at) => ({ id: `row_${at}`, at, text: `متن ${at * round}` }))
    const read = JSON.parse(JSON.stringify(rows)) as typeof rows
    read.sort((one, other) => (one.text < other.text ? -1 : 1))
    length += new Map(read.map(({ id, text }) => [id, text])).size
  }
  return length
}

const computeInPostgres = `
  select count(*), max(md5(number::text)), sum(length(number::text))
  from generate_series(1, 100000) as numbers (number)
  where number % 7 <> 3`
