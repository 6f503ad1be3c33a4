/**
 * A separate process that extends durable holds, for tests that race it and kill it. Takes its task as one JSON argument; writes one line
 * for each extension when it was `asked` (and is not committed) and one with its outcome.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openDb } from '#platform/db'
import { Failure } from '#platform/errors'
import { extendHoldInTx } from '#platform/ledger'

export interface ExtendJob {
  databaseUrl: string
  accountId: string
  steps: readonly { receiptId: string; step: string; microcredits: number }[]
  /** Concurrently, or one after the other. */
  parallel: boolean
  /** This step never commits: it waits until the process is killed. */
  cutAt?: string
}

export type Extended = `${string} ${'asked' | 'held' | 'gone' | 'refused'}`

const { databaseUrl, accountId, steps, parallel, cutAt } = JSON.parse(process.argv[2]!) as ExtendJob
await using db = await openDb({ url: databaseUrl })
const print = (line: Extended): void => void process.stdout.write(`${line}\n`)

async function extend({ receiptId, step, microcredits }: ExtendJob['steps'][number]): Promise<void> {
  try {
    const held = await db.tx(async (tx) => {
      const ask = { accountId, receiptId, step, microcredits: BigInt(microcredits) }
      const promised = await extendHoldInTx(tx, ask, new Date())
      print(`${step} asked`)
      if (step === cutAt) await pause(60_000)
      return promised
    })
    print(`${step} ${held === undefined ? 'gone' : 'held'}`)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 402) throw error
    print(`${step} refused`)
  }
}

if (parallel) await Promise.all(steps.map(extend))
else for (const step of steps) await extend(step)
