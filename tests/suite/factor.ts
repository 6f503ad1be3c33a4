/**
 * How much slower this machine is than the reference, on which the budgets of the tests were measured: machines of one kind differ by several
 * times from day to day. Budgets of processor time and the patience of `until` are multiplied by it.
 */
import pg from 'pg'

/** Milliseconds of one round on the reference: two quiet cores. */
const reference = { nodeMs: 50, postgresMs: 60 }

export interface MachineFactor {
  /** 1 on the reference, 2 on a machine that needs twice as long. */
  factor: number
  nodeMs: number
  postgresMs: number
}

/** Measures for about a second. `url` is a database in which anything may be computed. */
export async function measureMachine(url: string): Promise<MachineFactor> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const nodeMs = await bestOf(computeInNode)
    const postgresMs = await bestOf(() => client.query(computeInPostgres))
    const factor = (nodeMs / reference.nodeMs + postgresMs / reference.postgresMs) / 2
    return { factor: Math.round(factor * 100) / 100, nodeMs, postgresMs }
  } finally {
    await client.end()
  }
}

/** The fastest of several rounds: what others take from the machine only makes a round slower. */
async function bestOf(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 7; round++) {
    const beganMs = performance.now()
    await work()
    best = Math.min(best, performance.now() - beganMs)
  }
  return Math.round(best * 10) / 10
}

/** What servers do most: build objects, write and read JSON, compare texts. */
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

/** The factor that this run was started with, at least 1: a faster machine has no less patience. */
export const patienceFactor = Math.max(1, Number(process.env['KHERAD_MACHINE_FACTOR'] ?? 1))
