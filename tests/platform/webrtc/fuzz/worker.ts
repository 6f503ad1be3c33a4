/** The thread that runs cases; its parent sees by the shared memory where it is, and ends it if it hangs. */
import { parentPort, workerData } from 'node:worker_threads'
import { readCorpus } from './corpus.ts'
import { Fuzzer, type FuzzStats } from './fuzzer.ts'
import { type Finding, Journal } from './journal.ts'
import { blockCases } from './targets.ts'

export interface WorkerTask {
  seed: number
  corpus: string
  /** The first case, and the one after the last. */
  from: number
  to: number
  journal: SharedArrayBuffer
  control: SharedArrayBuffer
}

export type WorkerMessage = { finding: Finding } | { stats: FuzzStats } | { isDone: true }

/** The places in the memory that parent and thread share. */
export const control = { stop: 0, progress: 1, count: 2 } as const

const statsMs = 500

async function serve({ seed, corpus, from, to, journal, control: memory }: WorkerTask): Promise<void> {
  const post = (message: WorkerMessage): void => parentPort!.postMessage(message)
  const state = new Int32Array(memory)
  await using fuzzer = await Fuzzer.open({
    seed,
    corpus: readCorpus(corpus),
    journal: new Journal(journal),
    found: (finding) => post({ finding }),
  })
  process.on('uncaughtException', (error) => fuzzer.escaped(error))
  process.on('unhandledRejection', (error) => fuzzer.escaped(error))
  let toldMs = 0
  let number = from
  for (; number < to && Atomics.load(state, control.stop) === 0; number++) {
    await fuzzer.run(number)
    Atomics.add(state, control.progress, 1)
    if ((number + 1) % blockCases === 0) await fuzzer.endBlock(number + 1)
    if (performance.now() - toldMs < statsMs) continue
    toldMs = performance.now()
    post({ stats: fuzzer.stats })
  }
  await fuzzer.endBlock(number, true)
  post({ stats: fuzzer.stats })
  post({ isDone: true })
}

if (parentPort !== null) await serve(workerData as WorkerTask)
